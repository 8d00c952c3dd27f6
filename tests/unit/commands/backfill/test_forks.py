"""Which session began with a copy of another: a fork names the other, a continued log does not."""

from __future__ import annotations

from pathlib import Path

from gittraj.agents import SessionFile
from gittraj.capture.session import assemble
from gittraj.commands.backfill.digest_logs import find_copies
from gittraj.commands.backfill.log_digest import LogDigest, make_digest
from gittraj.model.session_items import Entry, Fact, Item, trajectory_id
from gittraj.model.values import Prompt

AGENT = "claude-code"
HEAD = "6f1c2d9e-0d5b-4a1e-9c70-3b2f8a4d5e61:0"


def digest(session: str, *, ended: int, of: str | None = None, head: str = HEAD) -> LogDigest:
    items: list[Item] = [Fact(name="parent_session", value=of)] if of else []
    items.append(Entry(event=Prompt(id=head, ts="2026-01-01T00:00:00Z"), end=0))
    items.append(Entry(event=Prompt(id=session, ts=f"2026-01-01T00:00:{ended:02}Z"), end=0))
    trajectory = trajectory_id(AGENT, session)
    log = assemble(items, agent=AGENT, session=session, trajectory=trajectory)
    return make_digest(SessionFile(agent=AGENT, session=session, path=Path(session)), log, 0, 0.0)


def copies(*digests: LogDigest) -> dict[str, str]:
    names = {each.log.trajectory: each.log.session for each in digests}
    return {names[new]: names[old] for new, old in find_copies(digests).items()}


def test_without_a_named_parent_the_session_that_ended_first_is_the_original() -> None:
    assert copies(digest("a", ended=9), digest("b", ended=3)) == {"a": "b"}


def test_a_fork_is_a_copy_of_its_parent_even_if_the_parent_went_on() -> None:
    assert copies(digest("a", ended=9), digest("b", ended=3, of="a")) == {"b": "a"}


def test_a_fork_of_a_fork_is_a_copy_of_that_fork() -> None:
    three = digest("a", ended=9), digest("b", ended=3, of="a"), digest("c", ended=2, of="b")
    assert copies(*three) == {"b": "a", "c": "b"}


def test_a_fork_of_an_unknown_session_is_not_a_copy() -> None:
    assert copies(digest("b", ended=3, of="gone")) == {}


def test_sessions_with_numbered_event_ids_are_not_copies() -> None:
    assert copies(digest("a", ended=9, head="1:0"), digest("b", ended=3, head="1:0")) == {}
