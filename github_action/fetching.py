"""Fetches the records of a pull request's commits, a few kilobytes, from a notes ref of any size.

They go into a bare repository in the runner's temporary folder, never the user's checkout: a promisor there
would make later fetches partial. Notes are fetched level by level, each with one request: the ref's commit,
its root tree, the folders on the way to the commits' notes, the notes. Nothing fetched is run or checked out.
"""

from __future__ import annotations

import base64
import math
import time
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from gittraj.errors import TrajError
from gittraj.git import Repository, Result, open_repository
from gittraj.notes.store import RECORDS_REF, NotesRef
from gittraj.notes.tree import note_paths

_NOTES = 20.0
"""Seconds for all fetches of one attempt to read the notes, whatever they contain."""
_TIMEOUT = 120.0
"""Seconds for any other fetch."""
_ALONE = 3.0
"""Seconds for the fetch of one note, after fetching all at once failed."""
_LEVELS = 20
"""The maximum number of folders above a note; git makes at most three."""
_FETCH = (
    *("-c", "fetch.negotiationAlgorithm=noop", "-c", "http.lowSpeedLimit=1", "-c", "http.lowSpeedTime=20"),
    *(
        "fetch",
        "--quiet",
        "--no-tags",
        "--no-write-fetch-head",
        "--recurse-submodules=no",
        "--no-auto-maintenance",
    ),
)
_PARTIAL = (
    *("-c", "remote.origin.promisor=true"),
    *("-c", "remote.origin.partialclonefilter=blob:none"),
)
"""Options for commands that use the network. No other command gets them: with these, git before 2.45 would
fetch a missing note when the note is read, and fail if it cannot."""
_CONFIG = {
    "core.hooksPath": "/dev/null",
    "transfer.fsckObjects": "true",
    "protocol.allow": "never",
    "protocol.https.allow": "always",
    "gc.auto": "0",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """Where to fetch from. ``token`` is sent in a header and nowhere else; ``protocols`` are allowed in
    addition to https."""

    url: str
    token: str | None = field(default=None, repr=False)
    user: str = "x-access-token"
    protocols: tuple[str, ...] = ()


class FetchTimeoutError(TrajError):
    """The notes did not arrive in time; ``tip`` is the tip of their ref."""

    def __init__(self, tip: str) -> None:
        super().__init__("the records did not arrive in time", "run the job again later")
        self.tip = tip


class Fetched:
    """A bare repository at ``folder`` with the requested objects of a source."""

    def __init__(self, folder: Path, source: Source, *, environ: Mapping[str, str]) -> None:
        """Create the repository. Raises TrajError, GitError."""
        folder.mkdir(parents=True, exist_ok=True)
        self.source = source
        clean = {**environ, "GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": "/dev/null"}
        empty = Repository(folder, folder, None, "sha1", clean, "plumbing")
        empty.run("init", "--quiet", "--bare", str(folder))
        config = {**_CONFIG, **{f"protocol.{name}.allow": "always" for name in source.protocols}}
        config["remote.origin.url"] = source.url
        for key, value in config.items():
            empty.run("config", key, value)
        self._until = math.inf
        self.repository = open_repository(folder, environ=clean, backend="plumbing")

    def for_fork(self, folder: Path, url: str) -> Fetched:
        """Return a second ``Fetched``, for the repository at ``url``, without the token. Raises TrajError,
        GitError."""
        source = Source(url=url, protocols=self.source.protocols)
        return Fetched(folder, source, environ=self.repository.environ)

    def fetch_notes(self, commits: Sequence[str], *, ref: str = RECORDS_REF) -> str | None:
        """Fetch the notes of ``commits`` from ``ref``. Returns its tip, None if the source has no such ref.
        Notes that do not arrive in time are left out. Raises TrajError; FetchTimeoutError if not even the
        list of notes arrived."""
        self._until = time.monotonic() + _NOTES
        listed = self._call("ls-remote", "--", "origin", ref).out.decode().split()
        if not listed:
            return None
        try:
            return self._fetch_notes(commits, ref)
        except TrajError:
            if time.monotonic() < self._until:
                raise
            raise FetchTimeoutError(listed[0]) from None

    def _fetch_notes(self, commits: Sequence[str], ref: str) -> str | None:
        # tree:1 would fetch the root tree, too, but GitHub accepts only tree:0, which its bitmaps support
        self._call(*_FETCH, "--depth=1", "--filter=tree:0", "origin", f"+{ref}:{RECORDS_REF}")
        objects = self.repository.objects
        tip = objects.resolve(RECORDS_REF)
        if tip is None:
            return None
        root = objects.commit(tip).tree
        level = {root: tuple(dict.fromkeys(commits))}
        for _ in range(_LEVELS):
            if not level:
                break
            self._bring(level)
            level = self._below(level)
        self._bring_all([blob for commit in commits for _, blob in note_paths(objects, root, commit)])
        return tip

    def _bring_all(self, oids: Sequence[str]) -> None:
        """Fetch all with one request, or one by one if that fails, so that only a large note is lost."""
        try:
            self._bring(oids, timeout=_NOTES / 2)
        except TrajError:
            for oid in oids:
                if time.monotonic() < self._until:
                    with suppress(TrajError):
                        self._bring([oid], timeout=_ALONE)

    def bring_history(self, commit: str, ref: str, count: int) -> None:
        """Fetch the last ``count`` commits up to ``commit``, in full, as ``ref``. Raises TrajError."""
        self._until = math.inf
        self._call(*_FETCH, f"--depth={count}", "--no-filter", "origin", f"+{commit}:{ref}")

    def between(self, old: str, new: str) -> list[str]:
        """The fetched commits in ``old..new``, newest first."""
        known = ("^" + old,) if self.repository.objects.exists(old) else ()
        return self.repository.run("rev-list", new, *known).out.decode().split()

    def last(self, commit: str, count: int) -> list[str]:
        """The ids of the last ``count`` fetched commits up to ``commit``, newest first."""
        return self.repository.run("rev-list", f"--max-count={count}", commit).out.decode().split()

    def push_notes(self, ref: str) -> str | None:
        """Push the records to ``ref``, without force. Returns why it was refused, or None."""
        self._until = math.inf
        options = ("push", "--porcelain", "--no-verify", "--no-signed")
        done = self._run(*options, "origin", f"{RECORDS_REF}:{ref}")
        return done.complaint or "refused" if done.code else None

    @property
    def notes(self) -> NotesRef:
        return NotesRef(self.repository)

    def close(self) -> None:
        self.repository.close()

    def _below(self, level: Mapping[str, Sequence[str]]) -> dict[str, tuple[str, ...]]:
        """The trees one level down, each with the remaining digits of the ids of the commits below it."""
        objects = self.repository.objects
        below: dict[str, tuple[str, ...]] = {}
        for tree, names in level.items():
            folders = {e.name.decode("ascii", "replace"): e.oid for e in objects.read_tree(tree) if e.is_tree}
            for name in names:
                if name[:2] in folders and len(name) > 2:
                    oid = folders[name[:2]]
                    below[oid] = (*below.get(oid, ()), name[2:])
        return below

    def _bring(self, oids: Collection[str], *, timeout: float = _TIMEOUT) -> None:
        """Fetch these objects with one request. It must not test first whether an object exists: git would
        fetch that object alone."""
        if oids:
            names = "".join(f"{oid}\n" for oid in dict.fromkeys(oids)).encode()
            self._call(*_FETCH, "--filter=tree:0", "--stdin", "origin", stdin=names, timeout=timeout)

    def _call(self, *args: str, stdin: bytes | None = None, timeout: float = _TIMEOUT) -> Result:
        done = self._run(*args, stdin=stdin, timeout=timeout)
        if done.code:
            raise TrajError(f"git cannot read {self.source.url}: {done.complaint}")
        return done

    def _run(self, *args: str, stdin: bytes | None = None, timeout: float = _TIMEOUT) -> Result:
        env = self._environment()
        limit = min(timeout, max(self._until - time.monotonic(), 1.0))
        return self.repository.run(*_PARTIAL, *args, input=stdin, check=False, env=env, timeout=limit)

    def _environment(self) -> dict[str, str]:
        """Variables that pass the token, which must not be in a command line, a URL or a file."""
        variables = {
            "GIT_TERMINAL_PROMPT": "0",
            "GIT_ASKPASS": "true",
            "GCM_INTERACTIVE": "never",
            "GIT_NO_LAZY_FETCH": "1",
        }
        if self.source.token:
            basic = base64.b64encode(f"{self.source.user}:{self.source.token}".encode()).decode()
            host = "/".join(self.source.url.split("/", 3)[:3])
            variables |= {"GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": f"http.{host}/.extraheader"}
            variables |= {"GIT_CONFIG_VALUE_0": f"AUTHORIZATION: basic {basic}"}
        return variables
