"""What a repository and an environment say about where its tasks are."""

from __future__ import annotations

from collections.abc import Mapping

from gittraj.errors import TrajError
from gittraj.git import Repository
from gittraj.tasks.system import Site, known, systems

_ORDER = ("upstream", "github", "origin")
"""The remote whose issues people mean, best first: as the ``gh`` command sorts them."""


def survey(repository: Repository, environ: Mapping[str, str], *, preferred: str | None = None) -> Site:
    """The site of ``repository``. Of ``environ`` only the variables are kept that a system names;
    ``preferred`` is what ``traj.tasks`` says. Raises TrajError."""
    if preferred is not None and preferred not in known():
        raise TrajError(f"git config traj.tasks is '{preferred}'", f"it can be {', '.join(known())}")
    wanted = {name for system in systems() for name in system.variables}
    main = repository.worktrees()[0].path
    folders = dict.fromkeys(folder for folder in (repository.work_tree, main) if folder)
    return Site(
        folders=tuple(folders),
        remotes=_remotes(repository),
        environ={name: value for name, value in environ.items() if name in wanted},
        preferred=preferred,
    )


def _remotes(repository: Repository) -> tuple[str, ...]:
    """Addresses to fetch from, ``url.<base>.insteadOf`` applied."""
    found: dict[str, str] = {}
    for line in repository.run("remote", "-v").out.decode("utf-8", "surrogateescape").splitlines():
        name, _, rest = line.partition("\t")
        address, _, use = rest.partition(" (")
        if use.startswith("fetch)"):
            found[name] = address
    rank = {name: at for at, name in enumerate(_ORDER)}
    return tuple(found[name] for name in sorted(found, key=lambda name: (rank.get(name, 9), name)))
