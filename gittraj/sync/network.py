"""Runs git over the network: with time-outs, without prompts, and each error on one escaped line.

It must not know what is in the refs.
"""

from __future__ import annotations

import re
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

from gittraj.errors import GitError, TrajError
from gittraj.git import Repository, Result
from gittraj.notes.refs import break_stale_locks
from gittraj.render.text.terminal import escape_line
from gittraj.sync.remote import Remote, without_password

ANSWER = 30.0
"""Seconds that a remote may take to list its refs."""
TRANSFER = 300.0
"""Seconds that one fetch or push may take."""
BUSY = 60.0
"""Seconds that a fetch waits for another one of this clone."""
_LOCKED = re.compile(rb"cannot lock ref|Unable to create '[^']*\.lock'")
_SILENT = {
    "GIT_TERMINAL_PROMPT": "0",
    "GCM_INTERACTIVE": "never",
    "GIT_ASKPASS": "true",  # /bin/true prints an empty password, which counts as an answer
    "SSH_ASKPASS": "true",
    "SSH_ASKPASS_REQUIRE": "force",
    "GIT_NO_LAZY_FETCH": "0",
}
_SSH = "ssh -o BatchMode=yes -o ConnectTimeout=10"
_STALLED = ("-c", "http.lowSpeedLimit=1", "-c", "http.lowSpeedTime=20")
_FETCH = (
    # ignore the remote's own refspecs, and a partial clone's filter, which would leave out blobs
    *("fetch", "--quiet", "--no-tags", "--no-write-fetch-head", "--refmap=", "--no-filter", "--no-prune"),
    *("--no-recurse-submodules", "--no-auto-maintenance"),
)
_PUSH = (
    *("-c", "push.default=nothing", "-c", "push.pushOption=", "push", "--porcelain", "--no-verify"),
    *("--no-follow-tags", "--no-signed", "--recurse-submodules=no"),
)
_LONGEST = 300
_ROUNDS = 8
"""The most times that ``complete`` looks for missing objects. It needs about six: for the root, two or three
levels of trees, the blobs, and a last time that finds nothing missing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Refused:
    """Why a push was refused. ``moved``: somebody else pushed meanwhile; ``atomic``: the remote does not
    support atomic pushes."""

    why: str
    moved: bool = False
    atomic: bool = False


def list_refs(
    repository: Repository, remote: Remote, *patterns: str, trace: Path | None = None
) -> dict[str, str]:
    """List the remote's refs that match ``patterns``, with the objects that they point to. git writes the
    server's capabilities to the file ``trace``. Raises TrajError."""
    command = ("ls-remote", "--", remote.address, *patterns)
    env = {"GIT_TRACE_PACKET": str(trace)} if trace else {}
    out = _check(remote, _run(repository, remote, *command, timeout=ANSWER, env=env)).out
    pairs = (line.split("\t") for line in out.decode("utf-8", "surrogateescape").splitlines())
    return {pair[1]: pair[0] for pair in pairs if len(pair) == 2}


def fetch_refs(
    repository: Repository,
    remote: Remote,
    refs: Sequence[str],
    *,
    into: str | None = None,
    extra: Sequence[str] = (),
) -> None:
    """Fetch ``refs``; ``into`` is the local name of a single one, ``extra`` are options. Raises TrajError."""
    break_stale_locks(repository)
    pairs = [f"+{ref}:{into or remote.tracking(ref)}" for ref in refs]
    end = time.monotonic() + BUSY
    while True:
        done = _run(repository, remote, *_STALLED, *_FETCH, *extra, "--", remote.address, *pairs)
        # retry while another process fetches the same refs
        if done.code == 0 or not _LOCKED.search(done.err) or time.monotonic() > end:
            break
        time.sleep(0.1)
    _check(remote, done)


def _fetch_objects(repository: Repository, remote: Remote, oids: Sequence[str]) -> None:
    options = ("-c", "fetch.negotiationAlgorithm=noop", *_STALLED, *_FETCH, "--filter=blob:none", "--stdin")
    stdin = "".join(f"{oid}\n" for oid in oids).encode()
    _check(remote, _run(repository, remote, *options, "--", remote.address, stdin=stdin))


def complete(repository: Repository, remote: Remote, tip: str) -> None:
    """Fetch every missing tree and blob of the commit ``tip`` into a partial clone, in a few batches: git
    itself would fetch blob by blob. Raises TrajError."""
    if not repository.is_partial():
        return
    tree = repository.objects.commit(tip).tree
    before: list[str] = []
    for _ in range(_ROUNDS):
        missing = _missing(repository, tree)
        if not missing or missing == before:
            return  # readers report what is still missing
        _fetch_objects(repository, remote, missing)
        before = missing


def _missing(repository: Repository, tree: str) -> list[str]:
    command = ("rev-list", "--objects", "--missing=print", "--no-object-names", tree)
    listed = repository.run(*command, check=False)
    if listed.code:
        return [tree]  # the root itself
    return [line[1:] for line in listed.text.splitlines() if line.startswith("?")]


def push_refs(
    repository: Repository,
    remote: Remote,
    tips: Mapping[str, str],
    *,
    atomic: bool = True,
    instead: Mapping[str, str] = MappingProxyType({}),
) -> Refused | None:
    """Move the remote's refs forward to ``tips`` (commits by ref), all or none; return None if that was done.
    The refs of ``instead`` are replaced, if they are still at the commits that it names. Raises TrajError."""
    pairs = [f"{oid}:{ref}" for ref, oid in tips.items()]
    leases = [f"--force-with-lease={ref}:{oid}" for ref, oid in instead.items() if ref in tips]
    how = ("--atomic" if atomic else "--no-atomic", *leases)
    options = (*_STALLED, *_PUSH, *how, "--", remote.address, *pairs)
    done = _run(repository, remote, *options)
    return None if done.code == 0 else _parse_refusal(done)


def _parse_refusal(done: Result) -> Refused:
    lines = done.out.decode("utf-8", "replace").splitlines()
    refused = [row[2] for ln in lines if len(row := ln.split("\t")) == 3 and row[0] == "!"]
    if not refused:
        return Refused(why=_complaint(done), atomic=b"does not support --atomic" in done.err)
    why = next((each for each in refused if "atomic push fail" not in each), refused[0])
    # the reason itself already says that a hook declined
    said = next((ln for ln in _remote_lines(done) if not ln.startswith("error: hook declined")), "")
    return Refused(why=_harmless(f"{why}: {said}" if said else why), moved=any(map(_is_moved, refused)))


def _is_moved(reason: str) -> bool:
    """Whether a ref was refused because somebody else pushed. ``[rejected]`` comes from our own git: since we
    only push fast-forwards, the remote has something that we lack. A lock shows another push."""
    locks = ("cannot lock ref", "failed to update ref", "incorrect old value", "atomic transaction failed")
    ours = reason.startswith("[rejected]") and "atomic push failed" not in reason
    return ours or any(sign in reason for sign in locks)


def _check(remote: Remote, done: Result) -> Result:
    if done.code:
        raise TrajError(f"{remote.name}: {_complaint(done)}", f"try git ls-remote {remote.name}")
    return done


def _run(
    repository: Repository,
    remote: Remote,
    *args: str,
    stdin: bytes | None = None,
    timeout: float | None = None,
    env: Mapping[str, str] = MappingProxyType({}),
) -> Result:
    environment = {**_SILENT, **_ssh(repository), **_no_mirror(remote), **env}
    try:
        return repository.run(*args, check=False, input=stdin, env=environment, timeout=timeout or TRANSFER)
    except GitError as error:
        raise TrajError(
            f"{remote.name}: {error.message}", "nothing is lost: it is sent or fetched next time"
        ) from None


def _ssh(repository: Repository) -> dict[str, str]:
    own = repository.environ.keys() & {"GIT_SSH", "GIT_SSH_COMMAND"}
    return {} if own or repository.config("core.sshCommand") else {"GIT_SSH_COMMAND": _SSH}


def _no_mirror(remote: Remote) -> dict[str, str]:
    """Unset the remote's mirror setting: to a mirror git pushes everything by force, or nothing."""
    if not remote.listed:
        return {}
    key = f"remote.{remote.address}.mirror"
    return {"GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": key, "GIT_CONFIG_VALUE_0": "false"}


def _complaint(done: Result) -> str:
    """The first line of git's own errors, or else of the remote's."""
    lines = done.err.decode("utf-8", "replace").replace("\r", "\n").splitlines()
    own = [line for line in lines if line.strip() and not line.startswith(("remote:", "warning:", "hint:"))]
    first = (own or _remote_lines(done) or ["it cannot be reached"])[0]
    return _harmless(first.removeprefix("fatal: ").removeprefix("error: "))


def _remote_lines(done: Result) -> list[str]:
    lines = done.err.decode("utf-8", "replace").splitlines()
    own = (line.removeprefix("remote:").strip() for line in lines if line.startswith("remote:"))
    return [line for line in own if line]


def _harmless(text: str) -> str:
    line = escape_line(without_password(text))
    return line if len(line) <= _LONGEST else line[:_LONGEST] + "…"
