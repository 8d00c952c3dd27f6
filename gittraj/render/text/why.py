"""``git traj why`` for readers, and as lines of keys and values for scripts."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from datetime import datetime

from gittraj.model.header import Header
from gittraj.model.words import count, unmarked
from gittraj.render.text.log import ago, render_decision, render_small_print, render_tests, render_title
from gittraj.render.text.terminal import Page, cut, escape, escape_line

_LABEL = 11  # columns that a label takes, margin included
_LINES = 6  # lines of the file that are shown of a reason
_ASKED, _SAID = 6, 4  # lines of a prompt, of a decision
_MANY = 3  # decisions, doubts
_UNREAD = "  what is recorded of this commit cannot be read (git traj doctor)"


def render_reason(
    entry: Header, lines: Sequence[str], page: Page, now: datetime, *, any_here: bool = True
) -> str:
    """One entry of ``git traj why``; ``lines`` are all of the file; ``any_here``: whether there are records,
    so that a commit without one is worth a word."""
    shown = [*_quote(entry["lines"], lines, page), _title(entry, page, now)]
    header = entry["trajectory"]
    if header is not None:
        shown += _account(entry, page, now)
        if _has_more(entry):
            shown.append(page.paint(f"  git traj show {escape_line(entry['short'])} has more", "dim"))
    elif entry["commit"] is not None and any_here:
        shown += [
            page.paint(_UNREAD if entry["unread"] else "  no record for this commit", "dim"),
            *_previous(entry["nearest"], page, now),
        ]
    return "\n".join(shown) + "\n"


def _has_more(entry: Header) -> bool:
    """Whether its record has decisions or doubts that are not shown."""
    header = entry["trajectory"]
    shown = min(len(entry["decisions"]), _MANY) if len(entry["beside"]) < 2 else -1
    return len(header["decisions"]) > shown or len(header["caveats"]) > _MANY


def _quote(ranges: Sequence[Sequence[int]], lines: Sequence[str], page: Page) -> Iterator[str]:
    numbers = [number for first, last in ranges for number in range(first, last + 1)]
    wide = len(str(numbers[-1]))
    before = 0
    for number in numbers[:_LINES]:
        if before and number != before + 1:
            yield page.paint(f"{'…':>{wide}}", "dim")
        lead = f"{number:>{wide}}  "
        text = escape(lines[number - 1]).rstrip()
        yield (page.paint(lead, "dim") + cut(text, page.room(len(lead)))).rstrip()
        before = number
    if len(numbers) > _LINES:
        yield page.paint(f"{'…':>{wide}}  and {len(numbers) - _LINES} more of {_spell(ranges)}", "dim")


def _spell(ranges: Sequence[Sequence[int]]) -> str:
    return ", ".join(f"{first}-{last}" if first != last else str(first) for first, last in ranges)


def _title(entry: Header, page: Page, now: datetime) -> str:
    if entry["commit"] is None:
        return page.paint("not committed yet", "bold")
    return render_title(entry, page, now)


def _account(entry: Header, page: Page, now: datetime) -> Iterator[str]:
    header = entry["trajectory"]
    if entry["beside"]:
        yield from _beside(entry, page)
    elif entry["prompt"]:
        yield from _block("asked", escape_line(entry["prompt"]), page, _ASKED)
    if len(entry["beside"]) < 2:
        yield from _explanation(entry, header, page, now)
        link = {**header["link"], "carriedFrom": []} if entry["movedBy"] else header["link"]
        yield from render_small_print({**header, "link": link}, page)


def _explanation(entry: Header, header: Header, page: Page, now: datetime) -> Iterator[str]:
    for number, decision in enumerate(entry["decisions"][:_MANY]):
        yield from _block("" if number else "decided", render_decision(decision, page), page, _SAID)
    if entry["said"]:
        yield from _block("said", f"“{escape_line(entry['said'])}”", page, _SAID)
    yield from _written(entry, page, now)
    yield from render_tests(header, page)
    for number, caveat in enumerate(header["caveats"][:_MANY]):
        yield from _block("" if number else "doubts", escape_line(unmarked(caveat)), page, 2)
    if entry["movedBy"]:
        yield from _block("moved", _moved(entry["movedBy"]), page, 3)


def _written(entry: Header, page: Page, now: datetime) -> Iterator[str]:
    """The call that wrote the lines, and what of them."""
    calls = [event for event in entry["events"] if event["type"] == "tool_call"]
    for call in calls[:1]:
        name = escape_line(call["tool"]["name"] or "a call")
        yield from _block("written", f"{ago(call['ts'], now)} by {name}".lstrip(), page, 1)
        yield from _change(entry, page)


def _change(entry: Header, page: Page) -> Iterator[str]:
    for line in entry["change"]:
        text = cut(escape(line).replace("\n", " "), page.room(_LABEL))
        yield f"{' ' * _LABEL}{page.paint(text, 'red' if line[0] == '-' else 'green')}"
    if entry["changeMore"]:
        yield f"{' ' * _LABEL}{page.paint('… ' + count(entry['changeMore'], 'more line'), 'dim')}"


def _beside(entry: Header, page: Page) -> Iterator[str]:
    """Nobody knows who wrote the lines: what stands beside them in the commit is told as the commit's."""
    beside, remote = entry["beside"], entry["trajectory"].get("remote")
    known = "no recorded edit matches these lines; who wrote them is not known"
    if remote:
        known = f"the events stay with {remote} until joined: git traj fetch {remote}"
    elif not all(session["read"] for session in beside):
        known = "recorded events are not here; who wrote these lines is not known"
    yield from _block("written", escape_line(known), page, 2)
    many = len(beside) > 1
    of = f" {len(beside)} sessions; which wrote these lines, if any, is not known" if many else ""
    yield from page.block(f"the commit also carries{of}:", indent=2, label="", lines=2)
    for number, session in enumerate(beside[:_MANY]):
        prompt = escape_line(session["prompt"] or "(no prompt)")
        yield from _block("" if number else "asked", prompt, page, 2 if many else _ASKED)
    if len(beside) > _MANY:
        yield f"{' ' * _LABEL}{page.paint(f'… and {len(beside) - _MANY} more', 'dim')}"


def _moved(former: Sequence[Header]) -> str:
    """The commits that this record was carried over from."""
    old = ", ".join(commit["short"] for commit in former[:5])
    first = [commit["short"] for commit in former if commit["first"]]
    text = f"carried over from {old}, when history was rewritten"
    return f"{text}; first recorded on {first[0]}" if first and len(former) > 1 else text


def _previous(previous: Header | None, page: Page, now: datetime) -> Iterator[str]:
    if previous is None:
        return
    yield page.paint("  the previous recorded change of this file:", "dim")
    yield from (
        f"  {row}" for row in render_title(previous, Page(page.room(2), page.colour), now).split("\n")
    )
    header = previous["trajectory"]
    if header and header["prompt"]:
        yield from _block("asked", escape_line(header["prompt"]), page, 3)


def _block(label: str, text: str, page: Page, most: int) -> list[str]:
    return page.block(text, indent=_LABEL, label=f"  {label}" if label else "", lines=most)


# ---------------------------------------------------------------- for scripts


def render_porcelain(entry: Header, lines: Sequence[str], path: str) -> str:
    """One entry as ``git traj why --porcelain`` prints it; what comes from a record is escaped, on one
    line."""
    rows = [entry["commit"] or "0" * 40]
    rows += [f"lines {_spell(entry['lines'])}", f"path {escape_line(path)}"]
    for key, value in _pairs(entry):
        if value not in (None, ""):
            flat = escape(str(value)).replace("\n", " ")
            rows.append(f"{key} {flat if key == 'change' else escape_line(flat)}")
    for first, last in entry["lines"]:
        rows += [f"\t{escape(line)}" for line in lines[first - 1 : last]]
    return "\n".join(rows) + "\n"


def _pairs(entry: Header) -> Iterator[tuple[str, object]]:
    if entry["commit"] is not None:
        yield from (("short", entry["short"]), ("author", entry["author"]["name"]))
        yield from (("author-mail", f"<{entry['author']['email']}>"), ("date", entry["date"]))
        yield "summary", entry["subject"]
    if header := entry["trajectory"]:
        yield from (("trajectory", header["id"]), ("agent", header["agent"]))
        yield "remote", header.get("remote")
        yield from (("model", model) for model in header["models"])
        yield from (("session", header["session"]), ("evidence", header["link"]["evidence"]))
        yield "prompt", entry["prompt"]
    for decision in entry["decisions"]:
        yield "decision", json.dumps(decision, ensure_ascii=False, sort_keys=True)
    yield "said", entry["said"]
    for event in entry["events"]:
        yield "event", f"{event['id']} {event['type']}"
    for line in entry["change"]:
        yield "change", line
    for caveat in header["caveats"] if header else ():
        yield "doubt", caveat
    for old in entry["movedBy"]:
        yield "moved-from", old["commit"] + (" first" if old["first"] else "")
    if previous := entry["nearest"]:
        yield "nearest", f"{previous['commit']} {previous['subject']}"
