"""The package as Windows sees it: what only POSIX has stands behind a question; texts have an encoding."""

import ast
from pathlib import Path

import pytest

SOURCES = sorted((Path(__file__).parents[1] / "src").rglob("*.py"))
# modules that Windows does not have, and names of modules that it has without them
MODULES = {"fcntl", "resource", "pwd", "grp", "termios", "tty", "pty", "posix", "crypt", "syslog", "readline"}
NAMES = {
    "os": {
        "fork", "forkpty", "getuid", "geteuid", "getgid", "getegid", "chown", "fchown", "lchown", "fchmod", "killpg",
        "setsid", "getpgid", "getpgrp", "setpgid", "mkfifo", "mknod", "uname", "nice", "getloadavg", "statvfs",
        "fstatvfs", "sync", "fdatasync", "wait", "wait3", "wait4", "sysconf", "posix_fallocate", "posix_fadvise",
        "sched_getaffinity", "sched_setaffinity", "pread", "pwrite", "sendfile", "register_at_fork", "O_NOFOLLOW",
        "O_NONBLOCK", "O_CLOEXEC", "O_DIRECTORY", "O_SYNC", "WNOHANG", "WIFSIGNALED", "WTERMSIG", "ctermid",
    },
    "signal": {
        "SIGHUP", "SIGKILL", "SIGALRM", "SIGUSR1", "SIGUSR2", "SIGPIPE", "SIGCHLD", "SIGSTOP", "SIGCONT", "alarm",
        "setitimer", "pthread_kill", "pthread_sigmask", "sigwait", "siginterrupt", "SIG_BLOCK", "SIG_SETMASK",
    },
    "socket": {"AF_UNIX", "socketpair", "SO_REUSEPORT"},
    "time": {"tzset", "clock_gettime", "pthread_getcpuclockid"},
    "threading": {"pthread_kill"},
}  # fmt: skip


def parents(tree: ast.AST) -> dict[ast.AST, ast.AST]:
    return {child: node for node in ast.walk(tree) for child in ast.iter_child_nodes(node)}


def is_asked(node: ast.AST, module: str, name: str, above: dict[ast.AST, ast.AST]) -> bool:
    """Return whether the function around a use asks for it: hasattr, or catches what its absence raises."""
    while node in above:
        node = above[node]
        if isinstance(node, ast.Try):
            caught = {one.id for h in node.handlers for one in ast.walk(h) if isinstance(one, ast.Name)}
            if caught & {"AttributeError", "ImportError"}:
                return True
        if isinstance(node, ast.FunctionDef | ast.Module):
            text = ast.unparse(node)
            if f"hasattr({module}, '{name}')" in text or "hasattr(signal, 'pthread_sigmask')" in text:
                return True
    return False


def posix_alone(source: str) -> list[str]:
    """Return what a source uses that Windows lacks, without asking whether it is there."""
    tree = ast.parse(source)
    above, found = parents(tree), []
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            module, name = node.value.id, node.attr
            if name in NAMES.get(module, ()) and not is_asked(node, module, name, above):
                found.append(f"line {node.lineno}: {module}.{name}")
        modules = [a.name for a in node.names] if isinstance(node, ast.Import) else []
        modules += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
        found += [
            f"line {node.lineno}: import {one}"
            for one in modules
            if one.split(".")[0] in MODULES and not is_asked(node, "", "", above)
        ]
        if isinstance(node, ast.ImportFrom) and node.module in NAMES:
            both = {a.name for a in node.names} & NAMES[node.module]
            found += [f"line {node.lineno}: from {node.module} import {one}" for one in sorted(both)]
    return found


def without_encoding(source: str) -> list[str]:
    """Return the lines that open a text in the code page of the machine."""
    found = []
    for node in ast.walk(ast.parse(source)):
        if not isinstance(node, ast.Call):
            continue
        words = {keyword.arg for keyword in node.keywords}
        name = getattr(node.func, "attr", getattr(node.func, "id", ""))
        own = isinstance(node.func, ast.Attribute)
        mode = [*node.args, *(k.value for k in node.keywords if k.arg == "mode")]
        binary = any(
            isinstance(m, ast.Constant) and isinstance(m.value, str) and "b" in m.value for m in mode[1:]
        )
        if name == "open" and not own and not binary and not words & {"encoding", None}:
            found.append(f"line {node.lineno}: open")
        if own and name in ("read_text", "write_text") and "encoding" not in words and len(node.args) < 2:
            path = ast.unparse(node.func.value)  # functions of our own have an encoding of their own
            if path not in ("output", "reading"):
                found.append(f"line {node.lineno}: {path}.{name}")
        if {"text", "universal_newlines"} & words and name in ("run", "Popen", "check_output"):
            found += [] if "encoding" in words else [f"line {node.lineno}: {name}(text=True)"]
    return found


def test_what_only_posix_has_is_asked_for():
    found = {str(path): lines for path in SOURCES if (lines := posix_alone(path.read_text(encoding="utf-8")))}
    assert found == {}


def test_texts_are_not_in_the_code_page_of_the_machine():
    found = {
        str(path): lines for path in SOURCES if (lines := without_encoding(path.read_text(encoding="utf-8")))
    }
    assert found == {}


@pytest.mark.parametrize(
    ("source", "count"),
    [
        ("import fcntl", 1),
        ("try:\n    import fcntl\nexcept ImportError:\n    fcntl = None", 0),
        ("import os\ndef f():\n    return os.getuid()", 1),
        ("import os\ndef f():\n    return os.getuid() if hasattr(os, 'getuid') else 0", 0),
        ("from signal import SIGKILL", 1),
        ("import os\nos.O_RDONLY", 0),
    ],
)
def test_the_look_itself(source, count):
    assert len(posix_alone(source)) == count


@pytest.mark.parametrize(
    ("source", "count"),
    [
        ("open('x')", 1),
        ("open('x', 'rb')", 0),
        ("open('x', encoding='utf-8')", 0),
        ("path.read_text()", 1),
        ("path.write_text(a, encoding='utf-8')", 0),
        ("subprocess.run(a, text=True)", 1),
    ],
)
def test_the_look_at_texts(source, count):
    assert len(without_encoding(source)) == count
