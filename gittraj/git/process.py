"""Runs git: the only module that starts a git process.

git exports its own state to hooks (``GIT_DIR``, ``GIT_INDEX_FILE`` …), people configure colours, pagers and
prompts, and output changes with the locale. None of that may affect a command that git-traj runs. This module
must not know what any command means, and never uses a shell.
"""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Mapping
from pathlib import Path

from gittraj.errors import GitError
from gittraj.frozen import dataclass
from gittraj.startup import DISTURBING, FIXED

_NUMBERED = ("GIT_CONFIG_KEY_", "GIT_CONFIG_VALUE_")
_UNFLUSHED = {"GIT_FLUSH": "0"}
"""For output that is read only when it is complete: git would flush after each commit that it writes to a
pipe, which takes a third of the time of a listing."""
_OPTIONS = ("--no-pager", "-c", "color.ui=false", "-c", "core.quotePath=false")


def clean_environment(environ: Mapping[str, str] | None = None) -> dict[str, str]:
    """The environment for the git processes that git-traj starts: ``environ`` (None: this process's own)
    without git's own state."""
    inherited = os.environ if environ is None else environ
    kept = {k: v for k, v in inherited.items() if k not in DISTURBING and not k.startswith(_NUMBERED)}
    return kept | _safe_directories(inherited) | FIXED


def _safe_directories(environ: Mapping[str, str]) -> dict[str, str]:
    """The variables ``GIT_CONFIG_*`` with only the ``safe.directory`` settings among them: the folders that
    the user's git trusts must be trusted here, too."""
    count = environ.get("GIT_CONFIG_COUNT", "")
    numbers = range(int(count)) if count.isdigit() else ()
    named = [n for n in numbers if environ.get(f"GIT_CONFIG_KEY_{n}", "").lower() == "safe.directory"]
    kept = {"GIT_CONFIG_COUNT": str(len(named))} if named else {}
    for new, old in enumerate(named):
        kept[f"GIT_CONFIG_KEY_{new}"] = "safe.directory"
        kept[f"GIT_CONFIG_VALUE_{new}"] = environ.get(f"GIT_CONFIG_VALUE_{old}", "")
    return kept


@dataclass(frozen=True, slots=True)
class Result:
    """The result of a finished git command: exit status and both outputs, undecoded."""

    code: int
    out: bytes
    err: bytes

    @property
    def text(self) -> str:
        """The output, decoded; bytes that are not UTF-8, for example in a file's name, become surrogates."""
        return self.out.decode("utf-8", "surrogateescape")

    @property
    def complaint(self) -> str:
        """The first line that git wrote on stderr, without ``fatal:``; empty if it wrote none."""
        lines = self.err.decode(errors="replace").strip().splitlines()
        return lines[0].removeprefix("fatal: ").removeprefix("error: ") if lines else ""


@dataclass(frozen=True, slots=True)
class Runner:
    """Starts git with fixed leading arguments (``--git-dir=…``), folder and environment."""

    leading: tuple[str, ...]
    cwd: Path | None
    environ: Mapping[str, str]

    def run(
        self,
        *args: str,
        input: bytes | None = None,  # noqa: A002 - the name that subprocess uses
        check: bool = True,
        env: Mapping[str, str] | None = None,
        timeout: float | None = None,
        cwd: Path | None = None,
    ) -> Result:
        """Run git to its end. ``env`` adds to the environment, ``timeout`` is in seconds.

        Raises GitError if git is not installed, does not end in time or, with ``check``, fails.
        """
        try:
            environ = {**self.environ, **_UNFLUSHED, **(env or {})}
            code, out, err = self._finish(args, input, environ, timeout, cwd)
        except OSError as error:
            raise _not_started(error) from error
        except subprocess.TimeoutExpired as error:
            raise GitError(f"git {_verb(args)} did not end within {timeout:g} seconds") from error
        result = Result(code, out, err)
        if check and result.code != 0:
            raise GitError(f"git {_verb(args)} failed: {result.complaint or f'status {result.code}'}")
        return result

    def _finish(
        self,
        args: tuple[str, ...],
        given: bytes | None,
        environ: Mapping[str, str],
        timeout: float | None,
        cwd: Path | None,
    ) -> tuple[int, bytes, bytes]:
        """Run git; with ``timeout`` in a session of its own, so that git's helpers (ssh, git-remote-https)
        are killed with git, and none of them has a terminal on which to ask for a password."""
        with subprocess.Popen(
            self.command(*args),
            stdin=subprocess.DEVNULL if given is None else subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=environ,
            cwd=cwd or self.cwd,
            start_new_session=timeout is not None,
        ) as process:
            try:
                out, err = process.communicate(given, timeout)
            except BaseException:  # ^C too
                _kill(process, group=timeout is not None)
                raise
        return process.returncode, out, err

    def start(self, *args: str, stdin: bool = False) -> subprocess.Popen[bytes]:
        """Start git and return the process. Its stdout and, with ``stdin``, its stdin are pipes; the caller
        must end it."""
        try:
            return subprocess.Popen(
                self.command(*args),
                stdin=subprocess.PIPE if stdin else subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env=dict(self.environ),
                cwd=self.cwd,
            )
        except OSError as error:
            raise _not_started(error) from error

    def command(self, *args: str) -> list[str]:
        return ["git", *_OPTIONS, *self.leading, *args]


def _verb(args: tuple[str, ...]) -> str:
    """The subcommand: the first argument that is neither an option nor the value of ``-c`` or ``-C``."""
    values = {i + 1 for i, arg in enumerate(args) if arg in ("-c", "-C")}
    return next((a for i, a in enumerate(args) if i not in values and not a.startswith("-")), "")


def _kill(process: subprocess.Popen[bytes], *, group: bool) -> None:
    if group and hasattr(os, "killpg"):
        os.killpg(process.pid, signal.SIGKILL)
    else:
        process.kill()


def _not_started(error: OSError) -> GitError:
    if isinstance(error, FileNotFoundError) and error.filename == "git":
        return GitError("git was not found on PATH", hint="install git, or add its folder to PATH")
    return GitError(f"git could not be started: {error}")
