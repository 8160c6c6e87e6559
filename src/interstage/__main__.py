"""`python -m interstage` is the command `interstage`."""

from interstage.cli.main import main

if __name__ == "__main__":
    main()
