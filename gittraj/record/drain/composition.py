"""Sets up a drain: configuration, redactor, pipeline, lock. The worker and all commands use it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from pathlib import Path

from gittraj.capture.repo_paths import RepoPaths
from gittraj.config import Config, Environ, read_config, stamp
from gittraj.git import Repository
from gittraj.model.values import TaskRef
from gittraj.record.draft import Draft
from gittraj.record.drain.context import Context, Installed
from gittraj.record.drain.redactor import redactors
from gittraj.record.drain.run import Report, run
from gittraj.record.pipeline import Pipeline
from gittraj.redact import LiveValues
from gittraj.seal.policy import ForReaders
from gittraj.state.folder import LocalState, installed_positions
from gittraj.state.sharing import is_guest
from gittraj.tasks.lookup import survey
from gittraj.tasks.naming import from_branch, from_trailers

_CREDENTIALS = (".netrc", ".git-credentials", ".npmrc", ".pypirc", ".aws/credentials")
_ENV_FILES = 50


def drain(
    repository: Repository,
    *,
    environ: Environ,
    live: Mapping[str, str],
    patience: float = 0.0,
    wait: float = 10.0,
) -> Report | None:
    """Drain now. ``live`` is the environment whose values are secrets; ``patience`` is how many seconds a
    commit's call may take to appear in its log; ``wait`` is how many seconds to wait for another drain.

    Returns ``None`` if git-traj is not installed or off here, or another drain is still running. Raises
    TrajError.
    """
    local = LocalState.of(repository)
    if not local.exists or environ.off or is_guest(local.folder, live):
        return None
    with local.locked(wait=wait) as acquired:
        if not acquired:
            return None
        local.tidy()
        when, reflogs = installed_positions(local.read("installed.json"))
        context = Context(
            repository=repository,
            config=read_config(repository),
            environ=environ,
            installed=Installed(time=when, reflogs=reflogs),
            patience=patience,
        )
        return run(context, make_pipeline(repository, context.config, environ, live=live))


def make_pipeline(
    repository: Repository,
    config: Config,
    environ: Environ,
    *,
    live: Mapping[str, str] | None = None,
    rewrites: Mapping[str, tuple[str, ...]] | None = None,
) -> Pipeline:
    """Make the pipeline of this repository, with every secret that is known here. ``live`` is the environment
    with secrets (None: that of ``environ``)."""
    live = environ.variables if live is None else live
    values = known_secrets(repository, environ, live=live)
    local = LocalState.of(repository)
    key = local.key()
    hashes = local.add_hashes(values.hashes(key))
    return Pipeline(
        repository=repository,
        config=config,
        redactor=redactors(config, key=key, live=LiveValues(values.values, hashes=hashes)),
        ruleset=stamp(config),
        known=len(hashes),
        remember=local.add_hashes,
        expose=local.add_exposed,
        rewrites=rewrites or {},
        sealing=ForReaders(repository, environ),
        localise=Localiser(RepoPaths(repository).roots, environ.home),
        task_of=_task_namer(repository, config, live),
    )


def _task_namer(
    repository: Repository, config: Config, live: Mapping[str, str]
) -> Callable[[Draft], TaskRef | None]:
    """Make a function that finds a part's task by the trailers of its commits, else by its branch's name."""
    # what the task systems need to know about this repository
    site = cache(lambda: survey(repository, live, preferred=config.tasks))

    def task_of(draft: Draft) -> TaskRef | None:
        for target in draft.targets:
            if target.role == "produced" and repository.objects.exists(target.commit):
                tasks = from_trailers(repository.objects.commit(target.commit).text, site())
                if tasks:
                    return tasks[0]
        return from_branch(draft.branch, site()) if draft.branch else None

    return task_of


def known_secrets(repository: Repository | None, environ: Environ, *, live: Mapping[str, str]) -> LiveValues:
    """Collect the secrets in the environment ``live`` and in files that usually contain secrets, and the
    hashes of earlier ones. Writes nothing."""
    roots = RepoPaths(repository).roots if repository else ()
    values = LiveValues.collect(live, _secret_files(roots, environ.home)).values
    return LiveValues(values, hashes=LocalState.of(repository).hashes() if repository else ())


def remember_secrets(repository: Repository, *, environ: Environ, live: Mapping[str, str]) -> None:
    """Store keyed hashes of the live values: the next drain may run in another environment."""
    local = LocalState.of(repository)
    local.add_hashes(known_secrets(repository, environ, live=live).hashes(local.key()))


class Localiser:
    """Removes this machine's folders from a text: paths in the worktree become relative to it, the home
    folder becomes ``~``."""

    def __init__(self, roots: tuple[Path, ...], home: Path | None) -> None:
        names = sorted((re.escape(str(root)) for root in roots if len(root.parts) > 1), key=len, reverse=True)
        after = r"(?![\w-]|\.\w)"
        self._inside = re.compile(rf"(?<![\w.-])(?:{'|'.join(names)}){after}") if names else None
        self._inside_path = re.compile(rf"(?<![\w.-])(?:{'|'.join(names)})/(?=[\w.@-])") if names else None
        self._home = re.compile(_home_pattern(home, after)) if home and len(home.parts) > 1 else None

    def __call__(self, text: str) -> str:
        if not any(char in text for char in "/\\-"):
            return text
        if self._inside_path is not None and self._inside is not None:
            text = self._inside.sub(".", self._inside_path.sub("", text))
        return self._home.sub("~", text) if self._home is not None else text


def _home_pattern(home: Path, after: str) -> str:
    """The pattern of a home folder. Since the folder names a person, the pattern also matches inside a word
    (``-I/home/ann``, or after an escaped line end), and the form that agents use in names of folders
    (``-home-ann-project``). For ``/root`` it does neither."""
    if len(home.parts) == 2:
        return rf"(?<![\w.-]){re.escape(str(home))}{after}"
    dashed = re.escape(re.sub(r"[^A-Za-z0-9]", "-", str(home)))
    return rf"{re.escape(str(home))}{after}|{dashed}(?!\w)"


def _secret_files(roots: tuple[Path, ...], home: Path | None) -> Iterator[Path]:
    for root in roots:
        files = sorted(root.glob(".env*")) + sorted(root.glob("*/.env*")) if root.is_dir() else []
        yield from files[:_ENV_FILES]
    if home is not None:
        yield from (home / name for name in _CREDENTIALS)
