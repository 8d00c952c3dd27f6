"""Records follow what a server squashed or rebased, on the push to the base branch that it ended in.

There the token may write, also for what came from a fork. Where a commit went is for the project's own search
to say (``gittraj.history``): same patches, the number of the pull request, or nothing at all.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from github_action.activity import OnPush
from github_action.api import Api
from github_action.facts import Pull, merged_pulls, read_pull
from github_action.fetching import Fetched, Source
from gittraj.config import Config, Environ
from gittraj.errors import TrajError
from gittraj.history import find_rewrites
from gittraj.model.codec import decode_note
from gittraj.model.values import Line, Record
from gittraj.notes.carry import is_own
from gittraj.notes.merge import standing
from gittraj.record.drain.composition import make_pipeline
from gittraj.state.folder import LocalState

_LONGEST = 50
"""Commits of one push that are looked at."""
_TRIES = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Merged:
    """A pull request that came to the base branch with this push: its commits, and the notes that they have
    in the fork that they come from."""

    pull: Pull
    commits: tuple[str, ...]
    foreign: Mapping[str, bytes]


@dataclass(frozen=True, slots=True, kw_only=True)
class Carried:
    """How many commits got something, and whether the push brought ``more`` than we looked at."""

    commits: int
    more: bool


def carry(
    api: Api, push: OnPush, source: Source, *, ref: str, folder: Path, environ: Mapping[str, str]
) -> Carried:
    """Carry what can be carried and push it to ``ref``. Raises TrajError."""
    place = folder / "git-traj-carry"
    fetched = Fetched(place, source, environ=environ)
    try:
        fetched.bring_history(push.after, f"refs/heads/{push.branch}", _LONGEST + 1)
        brought = fetched.between(push.before, push.after)
        new = brought[:_LONGEST]
        numbers = dict.fromkeys(n for commit in new for n in merged_pulls(api, commit, branch=push.branch))
        merged = [_fetch(api, fetched, number, place, ref=ref) for number in numbers]
        got = _carry(fetched, new, merged, ref=ref) if merged else 0
        return Carried(commits=got, more=len(brought) > len(new))
    finally:
        fetched.close()
        shutil.rmtree(place, ignore_errors=True)


def _fetch(api: Api, fetched: Fetched, number: int, place: Path, *, ref: str) -> Merged:
    pull = read_pull(api, number)
    fetched.bring_history(pull.head, f"refs/pull/{number}/head", pull.commit_count + 1)
    commits = tuple(fetched.last(pull.head, pull.commit_count))
    foreign: dict[str, bytes] = {}
    if pull.fork and pull.head_url:
        fork = fetched.beside(place / f"fork-{number}", pull.head_url)
        try:
            if fork.bring_notes(commits, ref=ref):
                foreign = {c: body for c in commits if (body := fork.notes.read(c))}
        except TrajError:
            pass  # a fork that is gone or private has nothing to give
        finally:
            fork.close()
    return Merged(pull=pull, commits=commits, foreign=foreign)


def _carry(fetched: Fetched, new: list[str], merged: list[Merged], *, ref: str) -> int:
    """How many commits got something. Again on the newest tip whenever somebody else was faster. Raises
    TrajError."""
    commits = [*new, *(commit for each in merged for commit in each.commits)]
    why = ""
    for _ in range(_TRIES):
        tip = fetched.bring_notes(commits, ref=ref)
        changed = _apply(fetched, new, merged)
        if fetched.notes.tip() == tip:
            return 0
        refused = fetched.push_notes(ref)
        if refused is None:
            return len(changed)
        why = refused
    raise TrajError(f"the records cannot be pushed: {why}", "the job needs 'permissions: {contents: write}'")


def _apply(fetched: Fetched, new: list[str], merged: list[Merged]) -> set[str]:
    """The commits that got something."""
    repository, notes = fetched.repository, fetched.notes
    before = {commit: notes.read(commit) or b"" for each in merged for commit in each.commits}
    lines = [pair for each in merged for pair in _imported(each, before)]
    held = {c for c, body in before.items() if standing(c, decode_note(body))} | {c for c, _ in lines}
    taken = [c for c in new if any(is_own(c, r) for r in standing(c, decode_note(notes.read(c) or b"")))]
    rewrites = find_rewrites(repository, sorted(held), taken=taken)
    pairs = [(r.old, r.new) for r in rewrites if r.new in new and r.old != r.new]
    state = LocalState.of(repository)
    state.create()
    pipeline = replace(
        make_pipeline(repository, Config(), Environ(home=None), live={}), task_of=lambda _: None
    )
    written = pipeline.write([], lines=lines)
    done = pipeline.store([], carry=pairs)
    return written.commits | done.commits


def _imported(merged: Merged, before: Mapping[str, bytes]) -> Iterator[tuple[str, Line]]:
    """What a fork's notes say of its own commits, which nobody says here."""
    for commit, body in merged.foreign.items():
        if not before.get(commit):
            yield from ((commit, line) for line in decode_note(body) if isinstance(line, Record))
