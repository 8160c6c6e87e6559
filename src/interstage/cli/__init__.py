"""The `interstage` command."""
