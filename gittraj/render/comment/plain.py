"""Renders the content of the comment on a pull request as text for a terminal."""

from __future__ import annotations

from collections.abc import Iterator

from gittraj.model.header import Header
from gittraj.model.sides import sides, vouched
from gittraj.model.words import opened_by
from gittraj.query.change import Change, Reviewed
from gittraj.render.comment.comment import CommentOptions
from gittraj.render.comment.facts import find_heading, find_outcome, find_requests, said, state_facts
from gittraj.render.comment.flags import Flag, by_doubt, find_flags, omissions, titled
from gittraj.render.text.terminal import Page, cut, escape_line

_MARGIN = 10
_ROWS = 20
"""The maximum number of items of a list."""
_WORDS = 300
"""The maximum number of characters of one quoted text."""
_COMMITS = 5
"""The maximum number of commits that one line names."""


def render_plain(change: Change, options: CommentOptions, page: Page) -> str:
    """The comment as lines for ``page``."""
    title = find_heading(change)
    lines = page.block(f"Why this change: {_short(title)}" if title else "Why this change", "bold")
    lines += page.block(
        " · ".join(escape_line(fact) for fact in state_facts(change, cost=options.cost)), "dim"
    )
    lines += [*_unread(change, page), *(_account(change, page) if change.recorded else _no_records(change))]
    return "\n".join(lines) + "\n"


def _account(change: Change, page: Page) -> Iterator[str]:
    asked, titles = find_requests(change)
    for label, texts in (("asked", asked), ("titled", titles)):
        yield from _labelled(page, label, texts)
    for label, text in find_outcome(change):
        yield from _labelled(page, label, [said(text, cut(text, _WORDS - 2))])
    yield from _listed(page, "Look here first", [_flag(flag, page) for flag in find_flags(change)])
    yield from _labelled(page, "left open", omissions(change))
    yield from _listed(page, "Decided", [_decision(decision, page) for decision in by_doubt(change)])
    yield from _listed(page, "Commits", [_commit(commit, page) for commit in change.own])


def _no_records(change: Change) -> Iterator[str]:
    if not change.own or len(change.unknown) < len(change.own):
        these = "the other commits" if change.unknown else "these commits"
        yield f"No agent trajectory is attached to {these}."


def _unread(change: Change, page: Page) -> Iterator[str]:
    if change.left:
        more = f" and {len(change.left) - _COMMITS} more" if len(change.left) > _COMMITS else ""
        names = ", ".join(commit[:7] for commit in change.left[:_COMMITS])
        yield from _labelled(page, "not read", [f"the records of {names}{more} (git traj doctor)"])


def _short(text: str) -> str:
    return cut(escape_line(text), _WORDS)


def _labelled(page: Page, label: str, texts: list[str]) -> Iterator[str]:
    for text in texts:
        if len(label) >= _MARGIN:
            yield from page.block(f"{_short(label)}: {_short(text)}")
        else:
            yield from page.block(_short(text), indent=_MARGIN, label=label)


def _listed(page: Page, title: str, items: list[list[str]]) -> Iterator[str]:
    if items:
        yield from ("", page.paint(title, "bold"))
        yield from (line for item in items[:_ROWS] for line in item)
        if len(items) > _ROWS:
            yield f"  and {len(items) - _ROWS} more"


def _flag(flag: Flag, page: Page) -> list[str]:
    where = _short(flag.path) + (f":{flag.line}" if flag.line else "") if flag.path else ""
    quoted = f": “{_short(flag.quoted)}”" if flag.quoted else ""
    commits = "".join(f" {commit[:7]}" for commit in flag.commits[:3])
    # ``after``: "(changed again in 1a2b3c4)", if a later commit may have settled the matter
    return page.block(f"{where}  {_short(flag.reason)}{quoted}{commits}{flag.after()}".strip(), indent=2)


def _decision(decision: Header, page: Page) -> list[str]:
    basis = vouched(decision)
    lines = page.block(_short(titled(decision)) + (f" ({_short(basis)})" if basis else ""), indent=2)
    others = "; ".join(o for o in sides(decision)[1] if o not in decision["chosen"])
    for label, text in (("rejected", others), ("why", decision["reasoning"])):
        if text:
            lines += page.block(_short(text), indent=_MARGIN + 2, label=f"  {label}")
    return lines


def _commit(commit: Reviewed, page: Page) -> list[str]:
    agents = _agents(commit.trajectories) or "no trajectory"
    if commit.traces and not commit.trajectories:
        agents = opened_by(_agents(commit.traces))
    return page.block(f"{commit.commit[:7]} {_short(commit.subject)} ({agents})", indent=2)


def _agents(trajectories: tuple[Header, ...]) -> str:
    names = ("an agent" if t["agent"] == "unknown" else t["agent"] or "a person" for t in trajectories)
    return ", ".join(dict.fromkeys(map(escape_line, names)))
