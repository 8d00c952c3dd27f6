"""Installs git-traj in every repository that is created or cloned from now on, through git's template
directory.

This changes one setting of the user's git and one folder, and records both in ``git-traj/everywhere.json`` in
the user's configuration folder. Existing repositories stay as they are.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Mapping
from pathlib import Path

from gittraj.commands.install.edits import restore, write_file
from gittraj.commands.install.hooks import install_hook, uninstall_hook
from gittraj.commands.install.manifest import FILE, Did, FileEdit, Splice, Step
from gittraj.commands.install.shims import HOOKS, find_interpreter, render, starts_existing
from gittraj.config import Environ
from gittraj.errors import FormatError, StoreError, TrajError
from gittraj.frozen import dataclass
from gittraj.git.process import Runner, clean_environment
from gittraj.model.codec import from_json, to_json
from gittraj.state.folder import FOLDER, LocalState

_KEY = "init.templateDir"
_REPOSITORY = ("HEAD", "config", "objects", "refs", "reftable")
"""The files that ``git init`` itself creates; all others in a new repository come from git's template."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GlobalInstall:
    """The manifest of a global installation. ``made``: git-traj made the whole template; ``config`` is the
    edit of the user's git configuration."""

    template: str
    made: bool
    config: FileEdit | None = None


class Home:
    """The user's configuration folder, located by ``environ``. Raises TrajError when HOME is not set."""

    def __init__(self, environ: Mapping[str, str]) -> None:
        self.environ = environ
        folder = Environ.of(environ).config_dir
        if folder is None:
            raise TrajError("no home is known: HOME is not set", "set HOME, and try again")
        self.folder = folder / "git-traj"
        self.manifest = self.folder / "everywhere.json"
        self.git = Runner((), None, clean_environment(environ))

    def read(self) -> GlobalInstall | None:
        try:
            return from_json(GlobalInstall, json.loads(self.manifest.read_bytes()))
        except (OSError, ValueError, FormatError):
            return None

    def template(self) -> Path | None:
        """Return the template directory that the user's git is configured to use; None for git's own."""
        output = self.git.run("config", "--type=path", "--get", _KEY, check=False).text
        value = output.removesuffix("\n")
        return Path(value) if value else None

    def config_file(self) -> Path:
        """Return the file that ``git config --global`` writes, by the rules of git-config(1)."""
        if path := self.environ.get("GIT_CONFIG_GLOBAL"):
            return Path(path).resolve()
        home, xdg = self.environ.get("HOME"), self.folder.parent / "git" / "config"
        usual = Path(home or Path.home()) / ".gitconfig"
        return (xdg if not usual.exists() and xdg.exists() else usual).resolve()


def install_globally(environ: Mapping[str, str], *, dry_run: bool = False) -> list[Step]:
    """Install git-traj in git's template. Raises TrajError."""
    home, interpreter = Home(environ), find_interpreter()
    configured, known = home.template(), home.read()
    template = configured or home.folder / "template"
    is_installed = known is not None and configured == Path(known.template)
    try:
        if not dry_run and not is_installed:
            _begin(home, template, made=configured is None)
        hooks = [
            install_hook(template / "hooks" / name, render(name, interpreter), dry_run=dry_run)
            for name in HOOKS
        ]
    except OSError as error:
        raise StoreError(f"{error.filename or template} cannot be written: {error.strerror}") from None
    will = "would" if dry_run and not is_installed else "will"
    text = f"repositories that you create or clone from now on {will} record ({_KEY} = {template})"
    did: Did = "unchanged" if is_installed else "added"
    steps = [Step(what="state", name="template", did=did, text=text), *hooks]
    if "GIT_TEMPLATE_DIR" in environ:
        text = "GIT_TEMPLATE_DIR is set: git uses that folder instead"
        steps.append(Step(what="state", name="template", did="skipped", text=text))
    return steps


def _begin(home: Home, template: Path, *, made: bool) -> None:
    """Create the template with the state that turns recording on, and set ``init.templateDir``."""
    (template / "hooks").mkdir(parents=True, exist_ok=True)
    import shutil  # noqa: PLC0415 - it imports all compressors

    if made:  # with the files of git's own template, as tools expect its info/exclude
        home.git.run("init", "--quiet", "--bare", str(template))
        for name in _REPOSITORY:
            path = template / name
            shutil.rmtree(path) if path.is_dir() else path.unlink(missing_ok=True)
    state = LocalState(template / FOLDER)
    state.create()
    state.write(FILE, {"time": time.time(), "reflogs": {}, "undo": {}})
    edited = None
    if made:
        file = home.config_file()
        before = file.read_bytes() if file.exists() else None
        home.git.run("config", "--global", _KEY, str(template))
        splice = Splice.between(before or b"", file.read_bytes())
        edited = FileEdit(made=before is None, splices=(splice,))
    home.folder.mkdir(parents=True, exist_ok=True)
    manifest = GlobalInstall(template=str(template), made=made, config=edited)
    write_file(home.manifest, json.dumps(to_json(manifest)).encode())


def uninstall_globally(environ: Mapping[str, str]) -> Iterator[Step]:
    """Restore the user's configuration, and remove git-traj from the template. Existing repositories keep
    their hooks.

    Raises TrajError, GitError; StoreError if something cannot be written.
    """
    home = Home(environ)
    known = home.read()
    if known is None:
        return
    import shutil  # noqa: PLC0415

    template = Path(known.template)
    try:
        _undo_setting(home, known)
        if known.made:
            shutil.rmtree(template, ignore_errors=True)
        else:
            for name in HOOKS:
                step = uninstall_hook(template / "hooks" / name)
                if step is not None:
                    yield step
            shutil.rmtree(template / FOLDER, ignore_errors=True)
        home.manifest.unlink()
    except OSError as error:
        raise StoreError(f"{error.filename} cannot be written: {error.strerror}") from None
    text = "new repositories no longer record; existing ones still do (git traj uninstall in each)"
    yield Step(what="state", name="template", did="removed", text=text)


def _undo_setting(home: Home, known: GlobalInstall) -> None:
    file = home.config_file()
    if known.config is None or not file.exists():
        return
    if not restore(file, known.config, lambda content: content):  # somebody changed it since
        command = ("config", "--global", "--fixed-value", "--unset", _KEY, known.template)
        home.git.run(*command, check=False)  # status 5: the setting has another value, which is the user's


def find_dead(environ: Mapping[str, str]) -> Path | None:
    """Return the template if its hooks can no longer start git-traj."""
    try:
        known = Home(environ).read()
        if known is None or starts_existing(Path(known.template, "hooks", HOOKS[0])):
            return None
    except TrajError:
        return None
    return Path(known.template)
