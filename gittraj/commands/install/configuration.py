"""Changes the repository's configuration through git, and undoes the changes byte for byte. Also puts hooks
into the configuration (git 2.54 and later), if the hooks folder belongs to another tool.

Changes are recorded as splices in the manifest: undoing a removal brings back the removed text. git runs
hooks of the configuration before the script in the hooks folder, wherever ``core.hooksPath`` points, and
tools that rewrite hooks do not touch them. After a repository was moved, the script that a hook's command
names does not exist: the command must not fail then.
"""

from __future__ import annotations

import os
import re
import shlex
import stat
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from gittraj.commands.install.edits import write_file
from gittraj.commands.install.manifest import FileEdit, Manifest, Splice, Step
from gittraj.commands.install.shims import Interpreter, render
from gittraj.errors import StoreError
from gittraj.frozen import dataclass
from gittraj.git import Repository
from gittraj.state.folder import FOLDER


def change(repository: Repository, manifest: Manifest, *arguments: str) -> Manifest:
    """Run ``git config --local ARGUMENTS``, and record the change. Raises GitError."""
    path = _file(repository)
    before = path.read_bytes()
    repository.run("config", "--local", *arguments)
    after = path.read_bytes()
    return (
        replace(manifest, config=(*manifest.config, Splice.between(before, after)))
        if after != before
        else manifest
    )


def undo(repository: Repository, manifest: Manifest) -> None:
    """Undo git-traj's changes that are newer than anybody else's. Raises StoreError if the file is locked."""
    path = _file(repository)
    now = path.read_bytes() if path.exists() else b""
    before = FileEdit(made=False, splices=manifest.config).undo(now)
    if before != now:
        write_locked(path, before)
        repository.forget_settings()


def forget_answers(repository: Repository, *, dry_run: bool) -> Iterator[Step]:
    """Remove the user's answers that git-traj stored: which list of readers is trusted, and which remotes may
    be pushed to or joined. Raises GitError."""
    pattern = r"^(traj\.trust|remote\..*\.traj(push|fetch))$"
    keys = repository.run("config", "--local", "-z", "--name-only", "--get-regexp", pattern, check=False)
    for key in dict.fromkeys(keys.text.split("\0")[:-1]):
        if not dry_run:
            repository.run("config", "--local", "--unset-all", key)
        yield Step(what="config", name=key, did="removed", text="removed from git's configuration")


def write_locked(path: Path, content: bytes) -> None:
    """Write a file under git's own lock for it. Raises StoreError if the lock is held."""
    lock = path.with_name(path.name + ".lock")
    try:
        descriptor = os.open(lock, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except OSError as error:
        hint = f"if no git process runs, remove {lock}"
        raise StoreError(f"{path} cannot be changed: {error.strerror}", hint) from None
    try:
        with os.fdopen(descriptor, "wb") as stream:
            stream.write(content)
        lock.chmod(stat.S_IMODE(path.stat().st_mode))
        lock.replace(path)
    except OSError as error:
        lock.unlink(missing_ok=True)
        raise StoreError(f"{path} cannot be changed: {error.strerror}") from None


def _file(repository: Repository) -> Path:
    return (repository.common_dir / "config").resolve()


_SINCE = (2, 54)
_SCRIPTS = "hooks"
_NAME = "git-traj-"


@dataclass(frozen=True, slots=True, kw_only=True)
class Configured:
    """One of git-traj's hooks in git's configuration. ``off``: the hook or its event is switched off."""

    command: str
    events: tuple[str, ...]
    off: bool


def is_supported(repository: Repository) -> bool:
    """Return whether git runs hooks of the configuration: an older git ignores them silently."""
    version = re.match(rb"git version (\d+)\.(\d+)", repository.run("version").out)
    return version is not None and (int(version[1]), int(version[2])) >= _SINCE


def scripts_folder(repository: Repository) -> Path:
    return repository.common_dir / FOLDER / _SCRIPTS


def command_for(script: Path) -> str:
    """Return the shell command for a script, with ``/`` also on Windows; git appends the hook's arguments."""
    path = shlex.quote(script.as_posix())
    return f"[ ! -x {path} ] || exec {path}"


def read_configured(repository: Repository) -> Mapping[str, Configured]:
    """Return git-traj's hooks in the configuration, by event."""
    values: dict[str, list[str]] = {}
    for setting in repository.settings(r"hook\."):
        values.setdefault(setting.key, []).append(setting.value)

    def is_off(name: str) -> bool:
        return values.get(f"hook.{name}.enabled", ["true"])[-1].lower() in ("false", "no", "off", "0")

    ours = {key.split(".")[1].removeprefix(_NAME) for key in values if key.startswith(f"hook.{_NAME}")}
    return {
        name: Configured(
            command=values.get(f"{_section(name)}.command", [""])[-1],
            events=tuple(values.get(f"{_section(name)}.event", ())),
            off=is_off(_NAME + name) or is_off(name),
        )
        for name in ours
    }


def configure(
    repository: Repository,
    manifest: Manifest,
    names: Sequence[str],
    interpreter: Interpreter,
    *,
    dry_run: bool,
) -> tuple[Manifest, list[Step]]:
    """Put the hooks ``names`` into the configuration. Raises GitError, OSError."""
    configured = read_configured(repository)
    steps = []
    for name in names:
        script = scripts_folder(repository) / name
        text = render(name, interpreter)
        hook = configured.get(name)
        matches = hook is not None and (hook.command, hook.events) == (command_for(script), (name,))
        if matches and _is_complete(script, text):
            steps.append(Step(what="hook", name=name, did="unchanged", text="already there"))
            continue
        if not dry_run:
            script.parent.mkdir(parents=True, exist_ok=True)
            write_file(script, text)
            script.chmod(0o755)
            # the command first: git refuses the commit if a hook has an event but no command
            manifest = change(
                repository, manifest, "--replace-all", f"{_section(name)}.command", command_for(script)
            )
            manifest = change(repository, manifest, "--replace-all", f"{_section(name)}.event", name)
        where = "in git's configuration, next to the hooks folder of another tool"
        did, word = ("renewed", "renewed") if hook else ("added", "installed")
        word = f"would be {word}" if dry_run else word
        steps.append(Step(what="hook", name=name, did=did, text=f"{word} {where}"))  # type: ignore[arg-type]
    return manifest, steps


def take_out(repository: Repository, manifest: Manifest) -> tuple[Manifest, list[Step]]:
    """Remove all of git-traj's hooks from the configuration. Raises GitError."""
    names = _list_own(repository)
    for name in names:
        manifest = change(repository, manifest, "--remove-section", _section(name))
    import shutil  # noqa: PLC0415 - it imports all compressors

    shutil.rmtree(scripts_folder(repository), ignore_errors=True)
    return manifest, [_removed(name) for name in names]


def remove_configured(repository: Repository, manifest: Manifest, *, dry_run: bool) -> list[Step]:
    """Restore the configuration byte for byte as it was before the first installation; if somebody changed it
    since, remove git-traj's hooks. Raises GitError, and StoreError if the configuration is locked."""
    names = _list_own(repository)
    if not dry_run:
        undo(repository, manifest)
        take_out(repository, manifest)
    return [_removed(name) for name in names]


def _list_own(repository: Repository) -> list[str]:
    """Return git-traj's hooks in this repository's own file, to which alone an installation writes."""
    command = ("config", "--local", "--name-only", "--get-regexp", rf"^hook\.{_NAME}")
    keys = repository.run(*command, check=False).out.decode("utf-8", "replace").split()
    return sorted({key.split(".")[1].removeprefix(_NAME) for key in keys})


def _removed(name: str) -> Step:
    return Step(what="hook", name=name, did="removed", text="removed from git's configuration")


def _section(name: str) -> str:
    return f"hook.{_NAME}{name}"


def _is_complete(script: Path, text: bytes) -> bool:
    return script.is_file() and script.read_bytes() == text and os.access(script, os.X_OK)
