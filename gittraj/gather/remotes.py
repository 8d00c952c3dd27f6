"""Finds the repositories to gather: from addresses, files of addresses, folders of clones, or an organisation
on GitHub (by PyGithub)."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from gittraj.errors import TrajError, UsageError
from gittraj.frozen import dataclass
from gittraj.git import clean_environment
from gittraj.git.process import Runner
from gittraj.render.text.terminal import escape_line
from gittraj.sync.remote import without_password

if TYPE_CHECKING:
    from github import Github

AT_ONCE = 16
"""Remotes that git reads at once."""
_ORGANISATION = "github:"
_URL = re.compile(
    r"(?P<scheme>[a-z][a-z0-9+.-]*)://(?:(?P<user>[^/@]*)@)?(?P<host>[^/:]+)(?::(?P<port>\d+))?/+(?P<path>.+)",
    re.I,
)
_SCP = re.compile(r"(?:(?P<user>[^@/:]+)@)?(?P<host>[^/:]{2,}):(?P<path>[^:].*)")
_FOLDED = ("github.com", "gitlab.com", "bitbucket.org")
"""Hosts whose paths are case-insensitive."""
_PORTS = {"https": "443", "http": "80", "ssh": "22", "git": "9418"}
_DEEP = 2
"""How many levels of folders are searched for clones, below the first: HOST/OWNER/NAME."""


@dataclass(frozen=True, slots=True)
class Source:
    """A repository: its address for git, the name shown to people, and its id in the engine."""

    address: str
    name: str
    project_id: str


def find_sources(
    named: Sequence[str],
    *,
    environ: Mapping[str, str],
    organisation: Callable[[str], Iterable[str]],
    tell: Callable[[str], object] = lambda _: None,
) -> tuple[list[Source], list[str]]:
    """Find each repository once: the first with its id; the others are reported to ``tell``. Returns the
    repositories, and the errors of addresses that name none. ``organisation`` lists an organisation's
    addresses. Raises TrajError if the only address is bad."""
    found: dict[str, Source] = {}
    errors: list[TrajError] = []

    def find(address: str) -> Source | TrajError:
        try:
            return find_source(address, environ)
        except (TrajError, OSError) as error:
            return _explain(error, address)

    addresses = [*_all_addresses(named, organisation, errors)]
    with ThreadPoolExecutor(AT_ONCE) as pool:
        for address, source in zip(addresses, pool.map(find, addresses), strict=True):
            if isinstance(source, TrajError):
                errors.append(source)
            elif (first := found.setdefault(source.project_id, source)) is not source:
                shown = without_password(address)
                tell(f"{shown} is the same repository as {without_password(first.address)}, and is left out")
    if len(errors) == 1 and not found:
        raise errors[0]
    return [*found.values()], [error.message for error in errors]


def _all_addresses(
    named: Sequence[str], organisation: Callable[[str], Iterable[str]], errors: list[TrajError]
) -> Iterator[str]:
    for name in named:
        try:
            yield from _addresses(name, organisation)
        except (TrajError, OSError) as error:
            errors.append(_explain(error, name))


def _explain(error: TrajError | OSError, address: str) -> TrajError:
    if isinstance(error, TrajError):
        return error
    return TrajError(f"{without_password(address)}: {error.strerror or type(error).__name__}")


def _addresses(name: str, organisation: Callable[[str], Iterable[str]]) -> Iterator[str]:
    path = Path(name)
    if name.startswith(_ORGANISATION):
        yield from organisation(name.removeprefix(_ORGANISATION))
    elif path.is_file():
        lines = path.read_text("utf-8", "surrogateescape").splitlines()
        yield from (line.strip() for line in lines if line.strip() and not line.lstrip().startswith("#"))
    elif path.is_dir() and not _is_repository(path):
        clones = list(_find_clones(path, _DEEP))
        if not clones:
            raise TrajError(f"{name} has no repositories in it", "name a clone, or a folder of clones")
        yield from map(str, clones)
    else:
        yield name


def _find_clones(path: Path, deep: int) -> Iterator[Path]:
    for below in sorted(path.iterdir()):
        if below.is_dir() and not below.is_symlink():
            if _is_repository(below):
                yield below
            elif deep:
                yield from _find_clones(below, deep - 1)


def _is_repository(path: Path) -> bool:
    return (path / ".git").exists() or ((path / "HEAD").is_file() and (path / "objects").is_dir())


def find_source(address: str, environ: Mapping[str, str]) -> Source:
    """Find the repository at ``address``. Raises TrajError."""
    _check(address)
    if Path(address).is_dir():
        return _find_clone(Path(address).resolve(), environ)
    canonical = canonize(address)
    return Source(address, _shorten(canonical), _digest(canonical))


def _find_clone(path: Path, environ: Mapping[str, str]) -> Source:
    run = partial(Runner((), path, clean_environment(environ)).run, check=False)
    remote = run("config", "--get", "remote.origin.url").text.removesuffix("\n")
    if (_URL.fullmatch(remote) or _SCP.fullmatch(remote)) and not remote.startswith("file:"):
        canonical = canonize(remote)
        return Source(str(path), _shorten(canonical), _digest(canonical))
    roots = run("rev-list", "--max-parents=0", "HEAD").text.split()
    identity = " ".join(["roots", *sorted(roots), path.name]) if roots else str(path)
    return Source(str(path), _shorten(str(path)), _digest(identity))


def canonize(address: str) -> str:
    """Reduce an address to ``host/path``: the same for https, ssh, and with or without ``.git``. A port that
    is not the scheme's default is kept, since it may be another server's."""
    url = _URL.fullmatch(address)
    found = url or _SCP.fullmatch(address)
    if found is None:
        return address.rstrip("/").removesuffix(".git")
    host, path = found["host"].lower(), found["path"].strip("/").removesuffix(".git")
    port = url["port"] if url and url["port"] != _PORTS.get(url["scheme"].lower()) else None
    return f"{host}{f':{port}' if port else ''}/{path.lower() if host in _FOLDED else path}"


def show_names(remotes: Mapping[str, tuple[str, str]]) -> dict[str, str]:
    """The name to show for each repository (id: name, address): with its host if the name is not unique."""
    count = Counter(name for name, _ in remotes.values())
    shown = {key: name if count[name] == 1 else canonize(address) for key, (name, address) in remotes.items()}
    twice = Counter(shown.values())
    return {key: name if twice[name] == 1 else f"{name} ({key})" for key, name in shown.items()}


def _check(address: str) -> None:
    shown = escape_line(without_password(address))
    if address.startswith("-") or "\0" in address:
        raise UsageError(f"{shown} is not the address of a repository")
    found = _URL.fullmatch(address)
    if found and found["user"] and (":" in found["user"] or found["scheme"].lower().startswith("http")):
        raise UsageError(
            f"the address of {shown} contains a password, which every process could see",
            "leave it out: git's credential helpers know it (git help credentials)",
        )


def _shorten(canonical: str) -> str:
    return "/".join(canonical.removesuffix("/.git").split("/")[-2:])


def _digest(identity: str) -> str:
    return hashlib.sha256(identity.encode("utf-8", "surrogateescape")).hexdigest()[:16]


_RETRIES = 2
"""Retries of a request without an answer; PyGithub's default is ten, with waits for a rate limit's end."""


def list_organisation(name: str, environ: Mapping[str, str], *, api: Github | None = None) -> Iterator[str]:
    """Yield the addresses of an organisation's repositories, except archived ones. The token is in
    ``GH_TOKEN`` or ``GITHUB_TOKEN``. Raises TrajError."""
    from github import Auth, Github, GithubException  # noqa: PLC0415 - 160 ms
    from requests import RequestException  # noqa: PLC0415

    token = environ.get("GH_TOKEN") or environ.get("GITHUB_TOKEN")
    asked = api or Github(
        auth=Auth.Token(token) if token else None,
        base_url=environ.get("GITHUB_API_URL") or "https://api.github.com",
        retry=_RETRIES,
    )
    try:
        for repository in asked.get_organization(name).get_repos():
            if not repository.archived:
                yield repository.clone_url
    except GithubException as error:
        raise TrajError(
            f"github:{name}: GitHub answered {error.status}",
            "is GH_TOKEN set, and may it list the organisation?",
        ) from None
    except RequestException:
        raise TrajError(f"github:{name}: GitHub could not be reached", "is there a network?") from None
