"""A page about a commit: all that is recorded, without active content, and with nothing to fetch."""

from __future__ import annotations

import base64
import hashlib
import re
from itertools import chain

import pytest

from gittraj.model.header import Header
from gittraj.render.events import Detail
from gittraj.render.html.document import render_page
from tests.unit.render.headers import (
    HOSTILE,
    bare_header,
    call,
    chapter,
    entry,
    event,
    full_header,
    hostile_header,
    result,
)
from tests.unit.render.html.parsed import Element, parse

BRIEF = Detail()
EDIT = event(
    "tool_call",
    ts="2026-03-01T08:55:07.000Z",
    tool={
        "name": "Edit",
        "arguments": {"file_path": "src/retry.py", "old_string": "a\nb", "new_string": "a\nc\nd"},
        "callId": "c7",
    },
    files=[{"path": "src/retry.py", "kind": "update"}],
)
DECIDED = {"chosen": "full jitter", "alternatives": ["a fixed delay"], "reasoning": "bursts", "by": "agent"}
WORK = chapter(
    "Retry with backoff",
    event("prompt", "Retry with backoff,\nand add no dependency.", ts="2026-03-01T08:55:00.000Z"),
    event("thinking", "A queue would need a worker."),
    event("message", "I look at the **client** first."),
    call("Bash", command="pytest -q"),
    result("F.....\n1 failed, 5 passed", code=1),
    EDIT,
    event("decision", decision=DECIDED),
    event("compaction", "The conversation so far …"),
)


def page(*headers: Header, commit: bool = True, detail: Detail = BRIEF) -> Element:
    return parse("".join(render_page([(entry() if commit else None, headers)], detail=detail)))


def header_with(*chapters: Header) -> Header:
    return {**full_header(), "chapters": list(chapters or (WORK,)), "also": []}


def test_the_facts_of_a_trajectory_come_first() -> None:
    shown = page(header_with())
    assert shown.one("title").text == "Retry in the client, with jitter"
    assert shown.one("h1").text == "Retry in the client, with jitter"
    facts = shown.one("dl", "properties")
    properties = dict(zip([d.text for d in facts.all("dt")], [d.text for d in facts.all("dd")], strict=True))
    assert properties == {
        "Status": "completed",
        "Agent": "claude-code",
        "Model": "claude-sonnet-4-5",
        "When": "2026-03-01 08:55 UTC · 4m",
        "Tokens": "12.3k in + 98k cached / 1.2k out",
        "Cost": "$0.04",
        "Confidence": " 80% sure",
        "Tests": "12 passed, 1 failed (last of 3 runs, before the commit was rewritten)",
        "Thinking": "2 pieces, not stored",
        "Part": "Part 1 of 2",
        "Link": "Carried from fffffff",
        "Redacted": "3 secrets",
        "Id": "traj_one",
    }
    assert [h.text for h in shown.all("h2")] == ["Retry with backoff"]
    assert [h.text for h in shown.all("h3")] == [
        *("Asked", "Why", "Result", "Decisions", "Doubts", "Looking back", "Files", "What happened")
    ]
    assert "Retry-After given as a date is not tested." in shown.one("section", "doubts").text
    (first, _) = shown.one("section", "decisions").all("div", "decision")
    assert re.findall(r"Chose|Over|Why", first.text) == ["Chose", "Over", "Why"]


def test_each_event_is_a_row_that_can_be_linked_to() -> None:
    shown = page(header_with())
    rows = shown.all("li", "event")
    kinds = ["asked", "more", "said", "tools", "tools", "decided", "more"]
    assert [row.attributes["data-kind"] for row in rows] == kinds
    for row in rows:
        assert row.one("a", "when").attributes["href"] == f"#{row.attributes['id']}"
    ran, edited = (row for row in rows if row.attributes["data-kind"] == "tools")
    assert "bad" in (ran.attributes["class"] or "").split()
    assert ran.one("summary").text == "Bashpytest -qexit 11 failed, 5 passed"
    assert ran.one("div", "result").text == "F.....\n1 failed, 5 passed"
    assert edited.one("summary").text == "Editsrc/retry.py+2−1"
    assert edited.one("pre").text == "  a\n- b\n+ c\n+ d\n"


def test_an_edit_that_is_too_long_to_compare_is_shown_as_replaced() -> None:
    lines = [f"line {number}" for number in range(1100)]
    sides = {"old_string": "\n".join(lines), "new_string": "\n".join([*lines[1:], lines[0]])}
    moved = {**EDIT, "tool": {**EDIT["tool"], "arguments": {"file_path": "src/retry.py", **sides}}}
    shown = page(header_with(chapter("Sort", moved)))
    assert shown.one("li", "event").one("summary").text == "Editsrc/retry.py+1100−1100"


@pytest.mark.parametrize(
    ("ts", "clock"),
    [
        ("2026-03-01T08:55:07.000+02:00", "06:55:07"),
        ("0001-01-01T00:00:00+14:00", "#"),
        ("9999-12-31T23:59:59-14:00", "#"),
        ("soon", "#"),
        (None, "#"),
    ],
)
def test_times_are_shown_in_utc(ts: str | None, clock: str) -> None:
    work = {**chapter("x", event("message", "Hello", ts=ts)), "startedAt": ts, "endedAt": ts}
    assert page(header_with(work)).one("a", "when").text == f"{clock}, a link to this event"


def test_each_chapter_is_in_the_contents() -> None:
    shown = page(header_with(WORK, chapter("And the farewell?", event("prompt", "And the farewell?"))))
    targets = {each.attributes["id"] for each in shown.all() if "id" in each.attributes}
    links = [a.attributes["href"] or "" for a in shown.one("nav", "contents").all("a")]
    assert {link[1:] for link in links} <= targets
    assert [a.text for a in shown.one("nav", "contents").all("a")][-2:] == [
        *("Retry with backoff", "And the farewell?")
    ]


def test_ids_are_unique_even_if_a_trajectory_is_shown_twice() -> None:
    shown = page(header_with(), header_with())
    ids = [each.attributes["id"] for each in shown.all() if "id" in each.attributes]
    assert len(ids) == len(set(ids))


def test_thinking_is_shown_only_on_request() -> None:
    closed = page(header_with())
    assert "queue would need" not in closed.text
    assert "Thinking not shown on this page" in closed.text
    assert "queue would need" in page(header_with(), detail=Detail(thinking=True)).text


@pytest.mark.parametrize("detail", [Detail(), Detail(thinking=True)])
def test_sealed_thinking_shows_its_number_of_readers(detail: Detail) -> None:
    seal = event("thinking", sealed={"bytes": 1_024, "name": "abc"})
    header = {**header_with(chapter("x", seal)), "thinking": "sealed", "readers": 2}
    shown = page(header, detail=detail)
    assert shown.one("p", "closed").text == "Thinking sealed for 2 readers"
    assert "2 pieces, sealed for 2 readers" in shown.text


def test_a_trajectory_without_commit_title_and_events_is_shown() -> None:
    shown = page({**bare_header(), "chapters": [], "also": []}, commit=False)
    assert shown.one("h1").text == "Untitled"
    assert "No events: they are not in this clone" in shown.text
    assert page().one("main").text.endswith("No trajectory is recorded here.")


def test_several_commits_are_one_document() -> None:
    entries = [(entry(subject=subject), [header_with()]) for subject in ("One", "Two")]
    shown = parse("".join(render_page(entries, detail=Detail())))
    assert shown.one("h1").text == "2 commits"
    assert [h.text for h in shown.all("h2")] == ["One", "Two"]


def test_nothing_is_fetched_and_the_policy_allows_only_our_own_script_and_style() -> None:
    shown = page(header_with())
    addresses = [
        value for each in shown.all() for key, value in each.attributes.items() if key in ("src", "href")
    ]
    assert all(address and address.startswith("#") for address in addresses)
    (policy,) = (
        meta.attributes["content"] or "" for meta in shown.all("meta") if "http-equiv" in meta.attributes
    )
    hashes = [
        base64.b64encode(hashlib.sha256(shown.one(name).text.encode()).digest()).decode()
        for name in ("style", "script")
    ]
    assert policy == (
        "default-src 'none'; base-uri 'none'; form-action 'none'; "
        f"style-src 'sha256-{hashes[0]}'; script-src 'sha256-{hashes[1]}'"
    )
    assert "url(" not in shown.one("style").text
    assert "@import" not in shown.one("style").text


def test_a_hostile_session_is_shown_as_text() -> None:
    kinds = ("prompt", "message", "thinking", "note", "error", "message_sent", HOSTILE)
    nasty = '"><img src=x onerror=alert(1)><!-- </script><style>*{display:none}</style> javascript:x &#106;'
    events = [{**event(kind, text), "id": text, "ts": text} for kind in kinds for text in (HOSTILE, nasty)]
    events += [call(HOSTILE, command=nasty), call(nasty, **{nasty: nasty}), result(nasty, code=1)]
    wild = {**hostile_header(), "chapters": [chapter(nasty, *events) | {"agentName": HOSTILE}], "also": []}
    wild |= {"tags": [nasty], "id": nasty, "task": {"title": nasty, "source": None}}
    wild |= {"exit": {"status": nasty, "error": HOSTILE, "submission": None}}
    shown = page(wild, detail=Detail(everything=True, thinking=True))
    calm = page(header_with(), detail=Detail(everything=True, thinking=True))
    assert {e.name for e in shown.all()} - {e.name for e in calm.all()} <= {"blockquote", "dl", "dt", "ul"}
    names = set(chain.from_iterable(each.attributes for each in shown.all()))
    assert names - set(chain.from_iterable(each.attributes for each in calm.all())) == set()
    assert len(shown.all("script")) == len(shown.all("style")) == 1
    assert not {"\x1b", "\x07", "\r", "\u202e"} & set(shown.text)
    for each in shown.all("a"):
        assert re.fullmatch(r"#[A-Za-z0-9_.:-]+", each.attributes["href"] or "")
