"""The worker that a hook starts: drains in the background, so that the user's git does not wait."""

import os

if hasattr(os, "setsid") and __name__ == "__main__":
    # the first statement: some agents kill the process group of a shell call as soon as it ends
    try:
        os.setsid()
    except OSError:
        pass  # this process already leads a group

import sys
import time
from pathlib import Path

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gittraj.git import Repository

DEBOUNCE = 0.3
"""Seconds that the worker waits first, so that a rebase of many commits is one drain."""
PATIENCE = 5.0
"""Seconds that the call of a commit may take to appear in the log of its session."""
LINGER = 6.0
"""Seconds that the worker waits for the messages after a commit; later ones are for the next drain."""


def main(arguments: list[str]) -> int:
    """Run with the arguments ``[--foreground] [--push REMOTE] STATE_FOLDER``. Never fails: what was not
    recorded or pushed waits for the next time."""
    pushing = "--push" in arguments
    foreground = "--foreground" in arguments or pushing
    folder = Path(arguments[-1])
    from gittraj.state.sharing import is_guest  # noqa: PLC0415

    if is_guest(folder, os.environ):
        (folder / "drain.lock").unlink(missing_ok=True)
        return 0
    try:
        with _open(folder) as repository:
            _work(repository, folder, foreground=foreground)
            if not foreground:
                from gittraj.index.keep_warm import keep_index  # noqa: PLC0415

                keep_index(repository)  # so that the next query need not wait
                _summarize(repository, folder)
            if pushing:
                _push(repository, arguments[arguments.index("--push") + 1])
    except Exception as error:  # noqa: BLE001 - a hook must not fail the user's git, whatever happened
        from gittraj.errors import TrajError  # noqa: PLC0415

        if foreground:
            why = error.one_line if isinstance(error, TrajError) else type(error).__name__
            sys.stderr.write(f"git-traj: not recorded yet: {why}\n")
    finally:
        if not foreground:
            (folder / "drain.lock").unlink(missing_ok=True)
    return 0


def _open(folder: Path) -> "Repository":
    """Open the repository, in the folder where git runs its hooks, or in / if that folder is gone."""
    from gittraj.git import open_for_hook  # noqa: PLC0415

    try:
        here = Path.cwd()
    except OSError:
        here = Path("/")
    return open_for_hook(folder.parent, here, environ=dict(os.environ))


def _work(repository: "Repository", folder: Path, *, foreground: bool) -> None:
    from gittraj.config import Environ  # noqa: PLC0415
    from gittraj.errors import TrajError  # noqa: PLC0415
    from gittraj.plugins import consult  # noqa: PLC0415
    from gittraj.record.drain.composition import drain, remember_secrets  # noqa: PLC0415
    from gittraj.state.precommit_flag import update_watch  # noqa: PLC0415

    raw = dict(os.environ)
    environ = Environ.of(raw)
    consult(repository)
    remember_secrets(repository, environ=environ, live=raw)
    try:
        update_watch(repository)
    except TrajError:
        pass  # recording goes on; the pre-commit hook then reads the setting itself
    start = time.monotonic()
    if not foreground:
        time.sleep(DEBOUNCE)
        (folder / "drain.lock").unlink(missing_ok=True)
    pause = 0.05
    while True:
        report = drain(repository, environ=environ, live=raw, patience=PATIENCE)
        spent = time.monotonic() - start
        if report is None or not (report.unfound or report.unsettled) or spent > LINGER:
            return
        if foreground and not report.unfound:
            return
        time.sleep(pause)
        pause = min(pause * 1.6, 1.0)


def _summarize(repository: "Repository", folder: Path) -> None:
    """Summarize recent sessions. This comes last, because it may take minutes, and nobody waits for it."""
    from gittraj.config import Environ  # noqa: PLC0415
    from gittraj.summarizer.runs import read_summarizer  # noqa: PLC0415

    if read_summarizer(repository) is not None:
        from gittraj.summarizer.summarize import summarize_recent  # noqa: PLC0415

        raw = dict(os.environ)
        (folder / "drain.lock").unlink(missing_ok=True)  # a hook may start another worker now
        summarize_recent(repository, environ=Environ.of(raw), live=raw)


def _push(repository: "Repository", name: str) -> None:
    """Push records to the remote to which the user is pushing."""
    from gittraj.config import Environ, read_choice  # noqa: PLC0415
    from gittraj.sync.consent import shares_records_only  # noqa: PLC0415
    from gittraj.sync.remote import find_remote  # noqa: PLC0415
    from gittraj.sync.rescan import vet  # noqa: PLC0415
    from gittraj.sync.transfer import push  # noqa: PLC0415

    remote = find_remote(repository, name)
    if remote.listed and read_choice(repository, "push") == "auto":
        raw = dict(os.environ)
        vet(repository, remote, environ=Environ.of(raw), live=raw)
        push(repository, remote, records_only=shares_records_only(repository))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
