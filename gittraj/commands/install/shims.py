"""Renders the text of the hooks for this interpreter, and finds it again in a file that others edited.

Its only side effect is to run the interpreter, to see if it finds git-traj. This module must not know where
hooks are.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from functools import cache
from pathlib import Path

from gittraj import plugins
from gittraj.errors import TrajError
from gittraj.frozen import dataclass
from gittraj.state.spool import MARKS, SESSION_IDS

HOOKS = ("post-commit", "pre-commit", "post-rewrite")
PUSHING = "pre-push"
"""This hook is installed only with ``traj.push=auto``, so that without it a push is unchanged."""
KEPT = ".traj-orig"
SHEBANG = b"#!/bin/sh\n"
ID = b"# git-traj b7d1 "
_BLOCK = re.compile(rb"^# git-traj b7d1 [^\n]*>>>.*?^# git-traj <<<[^\n]*\n?", re.DOTALL | re.MULTILINE)
_PYTHON = re.compile(rb"^\tpy='(.*)'$", re.MULTILINE)
_WORKER = re.compile(rb'^\t+(?:\$\w+ )?"\$py" (.*)-m gittraj\.(?:worker|precommit) ', re.MULTILINE)
_SECONDS = 20.0


@dataclass(frozen=True, slots=True)
class Interpreter:
    """The command that starts git-traj from a hook: an absolute path and Python's options."""

    path: str
    flags: tuple[str, ...]

    @property
    def exists(self) -> bool:
        return os.access(self.path, os.X_OK)

    @cache  # noqa: B019 - all hooks name the same one or two
    def works(self) -> bool:
        """Return whether the interpreter finds git-traj from any folder."""
        command = [self.path, *self.flags, "-c", "import gittraj.worker.__main__"]
        try:
            done = subprocess.run(
                command, cwd="/", capture_output=True, stdin=subprocess.DEVNULL, timeout=_SECONDS, check=False
            )
        except (OSError, ValueError, subprocess.TimeoutExpired):
            return False
        return done.returncode == 0


@dataclass(frozen=True, slots=True)
class HookFile:
    """A hook file that contains git-traj's block: the bytes before it, the block, the bytes after it."""

    before: bytes
    block: bytes
    after: bytes

    @property
    def pure(self) -> bool:
        """Whether the file contains only what git-traj installed."""
        return self.before == SHEBANG and not self.after

    @property
    def interpreter(self) -> Interpreter | None:
        """The interpreter that the block starts; None if it does not start one."""
        python, worker = _PYTHON.search(self.block), _WORKER.search(self.block)
        if python is None or worker is None:
            return None
        path = python[1].replace(b"'\\''", b"'").decode("utf-8", "surrogateescape")
        return Interpreter(path, tuple(shlex.split(worker[1].decode("utf-8", "replace"))))


def find_block(content: bytes) -> HookFile | None:
    """Find git-traj's block in a hook; None if the hook has no such block. Raises TrajError if the end of the
    block is missing: then it is unknown which lines are git-traj's."""
    match = _BLOCK.search(content)
    if match is None:
        if content.startswith(ID) or b"\n" + ID in content:
            raise TrajError("its git-traj block has no end", "remove the block's lines from the file")
        return None
    return HookFile(content[: match.start()], match[0], content[match.end() :])


def starts_existing(script: Path) -> bool:
    """Return whether a script can be read, and starts an interpreter that exists. Raises TrajError."""
    try:
        found = find_block(script.read_bytes())
    except OSError:
        return False
    return found is not None and found.interpreter is not None and found.interpreter.exists


@cache
def find_interpreter() -> Interpreter:
    """Return this interpreter, with the option ``-I`` (isolated mode) if git-traj can be imported with it,
    else with ``-P``: nothing may be imported from the folder that git runs a hook in. Raises TrajError if
    this interpreter can import git-traj only from the current folder."""
    if not sys.executable:
        raise TrajError(
            "Python does not know its own path", "start git traj by its full path: /…/git-traj install"
        )
    for flags in (("-I",), ("-P",)):  # -I leaves out PYTHONPATH and a user's site-packages
        interpreter = Interpreter(Path(sys.executable).as_posix(), flags)  # with / also on Windows, for sh
        if interpreter.works():
            return interpreter
    raise TrajError(
        f"{sys.executable} can import gittraj only from this folder", "install it: pipx install CHECKOUT"
    )


def render(name: str, interpreter: Interpreter) -> bytes:
    """Return the text of the hook ``name``: its file, with the parts (``*.part``) that hooks share."""
    text = (
        _template(name)
        .replace("@kept@\n", _template("kept.part").replace("@NAME@", name))
        .replace("@folder@\n", _template("folder.part"))
        .replace("@IDS@", " ".join((*SESSION_IDS, *plugins.variables())))
        .replace("@MARKS@", " ".join(MARKS))
    )
    text = text.replace("@PYTHON@", interpreter.path.replace("'", "'\\''"))
    return text.replace("@FLAGS@", " ".join(interpreter.flags)).encode("utf-8", "surrogateescape")


def is_shell_script(content: bytes) -> bool:
    """Return whether a hook's shell has no options, so that its lines mean the same inside another script."""
    shell = rb"#! ?(?:/usr)?(?:/bin/sh|/bin/dash|/bin/bash|/bin/env (?:sh|dash|bash))\n"
    return re.match(shell, content) is not None


def _template(name: str) -> str:
    package = Path(__file__).parents[2]
    for folder in (package / "_hooks", package.parent / "hooks"):
        if (folder / name).is_file():
            return (folder / name).read_text("utf-8")
    raise TrajError(f"this installation of git-traj lacks its hook {name}", "install git-traj again")
