"""The output of ``git traj why``: for people, and as lines of keys and values for scripts."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from datetime import datetime
from itertools import chain

from gittraj.model.header import Header
from gittraj.model.words import count, unmarked
from gittraj.render.events import call_name
from gittraj.render.text.log import ago, render_decision, render_small_print, render_tests, render_title
from gittraj.render.text.terminal import Page, cut, escape, escape_line

_LABEL = 11  # columns that a label takes, margin included
_LINES = 6  # lines of the file that are shown above a reason
_ASKED, _SAID = 6, 4  # the maximum number of lines of a prompt, and of a decision or quotation
_MANY = 3  # the maximum number of decisions, doubts, or sessions
_SHORT = 120  # a prompt with fewer characters may be a mere continuation of an earlier one
_REFERS_BACK = re.compile(
    r"\b(?:again|still|instead|that|this|it|you|your|not|nothing|no|yes|ok|wrong|redo|continue|go on)\b",
    re.IGNORECASE,
)
"""Words that refer to an earlier prompt or its work."""
_COLOURS = {"-": ["red"], "+": ["green"]}
_UNREAD = "  the records of this commit cannot be read (git traj doctor)"
_SHALLOW = "  not known here: this clone is shallow (git fetch --unshallow)"


def render_reason(
    entry: Header, lines: Sequence[str], page: Page, now: datetime, *, any_here: bool = True
) -> str:
    """One entry of ``git traj why``. ``lines`` are all lines of the file; ``any_here``: whether there are
    records, so that a commit without one is worth mentioning."""
    shown = [*_quote(entry["lines"], lines, page), _title(entry, page, now)]
    header = entry["trajectory"]
    if header is not None:
        shown += [*_account(entry, page, now), *_respaced(entry, page)]
        if len(entry["beside"]) < 2:
            shown += render_small_print({**header, "link": {**header["link"], "carriedFrom": []}}, page)
        if _has_more(entry):
            shown.append(page.paint(f"  git traj show {escape_line(entry['short'])} has more", "dim"))
    elif entry["shallow"]:
        shown.append(page.paint(_SHALLOW, "dim"))
    elif entry["commit"] is not None and any_here:
        shown += [
            page.paint(_UNREAD if entry["unread"] else "  no record for this commit", "dim"),
            *_previous(entry["nearest"], page, now),
            *_respaced(entry, page),
        ]
    else:
        shown += _respaced(entry, page)
    return "\n".join(shown) + "\n"


def _respaced(entry: Header, page: Page) -> Iterator[str]:
    """Name the later commits that changed only white space in these lines."""
    for commit in entry["respaced"]:
        numbers = _spell(commit["lines"])
        of_lines = f"of line{'s' * (not numbers.isdigit())} {numbers}"
        which = "here" if commit["lines"] == entry["lines"] else of_lines
        more = f"; git traj show {commit['short']} explains why" if commit["recorded"] else ""
        text = f"{commit['short']} {escape_line(commit['subject'])} changed only the white space {which}"
        yield from _block("spaces", text + more, page, 3)


def _has_more(entry: Header) -> bool:
    """Whether the commit's record has decisions or doubts that are not shown."""
    header = entry["trajectory"]
    shown = min(len(entry["decisions"]), _MANY) if len(entry["beside"]) < 2 else -1
    return len(header["decisions"]) > shown or len(header["caveats"]) > _MANY


def _quote(ranges: Sequence[Sequence[int]], lines: Sequence[str], page: Page) -> Iterator[str]:
    """Quote the first lines of the file that the reason is about, with their numbers."""
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
        yield from chain(_decided(entry, page), _other_sessions(entry, page))
    else:
        yield from chain(_asked(entry, page), _decided(entry, page))
    if len(entry["beside"]) > 1:
        return
    if entry["said"]:
        yield from _block("said", f"“{escape_line(entry['said'])}”", page, _SAID)
    yield from _written(entry, page, now)
    yield from render_tests(header, page)
    yield from _doubts(entry, page)
    if trouble := (header["retrospective"] or {}).get("challenges"):
        yield from _block("trouble", escape_line("of the commit: " + "; ".join(trouble)), page, 3)
    if entry["movedBy"]:
        moved = f"carried over from {entry['movedBy'][0]['short']} (amended, rebased or picked)"
        yield from _block("moved", moved, page, 3)


def _asked(entry: Header, page: Page) -> Iterator[str]:
    """The prompt of the edit. If it is short and refers to earlier work, the session's first prompt comes
    before it."""
    asked, task = (escape_line(text or "") for text in (entry["prompt"], entry["trajectory"]["prompt"]))
    if task and len(asked) < _SHORT and _REFERS_BACK.search(asked) and not asked.startswith(task):
        yield from _block("task", task, page, _ASKED)
    if asked:
        yield from _block("asked", asked, page, _ASKED)


def _decided(entry: Header, page: Page) -> Iterator[str]:
    for number, decision in enumerate(entry["decisions"][:_MANY]):
        text, line = render_decision(decision, page), decision["line"]
        if line and entry["beside"] and not any(first <= line <= last for first, last in entry["lines"]):
            text = f"{text} (about line {line})"
        yield from _block("" if number else "decided", text, page, _SAID)


def _doubts(entry: Header, page: Page) -> Iterator[str]:
    """The caveats about the lines, then others, which are about anything that the session did for the
    commit."""
    own = [unmarked(caveat) for caveat in entry["doubts"]]
    others = [unmarked(caveat) for caveat in entry["trajectory"]["caveats"] if caveat not in entry["doubts"]]
    caveats = [*own, *(f"of the commit: {first}" for first in others[:1]), *others[1:]]
    for number, caveat in enumerate(caveats[:_MANY]):
        yield from _block("" if number else "doubts", escape_line(caveat), page, 2)


def _written(entry: Header, page: Page, now: datetime) -> Iterator[str]:
    """The call that wrote the lines, and its change to them."""
    calls = [event for event in entry["events"] if event["type"] == "tool_call"]
    for call in calls[:1]:
        name = escape_line(call_name(call))
        yield from _block("written", f"{ago(call['ts'], now)} by {name}".lstrip(), page, 1)
        yield from _change(entry, page)


def _change(entry: Header, page: Page) -> Iterator[str]:
    for line in entry["change"]:
        text = cut(escape(line).replace("\n", " "), page.room(_LABEL))
        yield f"{' ' * _LABEL}{page.paint(text, *_COLOURS.get(line[0], ()))}"
    if entry["changeMore"]:
        yield f"{' ' * _LABEL}{page.paint('… ' + count(entry['changeMore'], 'more line'), 'dim')}"


def _other_sessions(entry: Header, page: Page) -> Iterator[str]:
    """Say why it is not known which of the commit's sessions wrote the lines, and list the sessions."""
    sessions = entry["beside"]
    yield from _block("written", escape_line(_explain_unknown(entry)), page, 2)
    several = len(sessions) > 1
    if not several and not sessions[0]["prompt"]:
        return
    of = f" {len(sessions)} sessions; which wrote these lines, if any, is not known" if several else ""
    yield from page.block(f"the commit also has{of}:", indent=2, label="", lines=2)
    for number, session in enumerate(sessions[:_MANY]):
        prompt = escape_line(session["prompt"] or "(no prompt)")
        yield from _block("" if number else "asked", prompt, page, 2 if several else _ASKED)
    if len(sessions) > _MANY:
        yield f"{' ' * _LABEL}{page.paint(f'… and {len(sessions) - _MANY} more', 'dim')}"


def _explain_unknown(entry: Header) -> str:
    sessions, trajectory = entry["beside"], entry["trajectory"]
    if remote := trajectory.get("remote"):
        return f"git fetch brings the record, not its events: git traj fetch {remote}"
    if len(sessions) == 1 and not (trajectory["agent"] or sessions[0]["prompt"]):
        return "not recorded: the record was made by hand"
    if not all(session["read"] for session in sessions):
        return "recorded events are not here; who wrote these lines is not known"
    return "no recorded edit matches these lines; who wrote them is not known"


def _previous(previous: Header | None, page: Page, now: datetime) -> Iterator[str]:
    """Describe the previous recorded change, if there is one."""
    if previous is None:
        return
    of = "these lines" if previous["ofLines"] else "this file"
    yield page.paint(f"  the previous recorded change of {of}:", "dim")
    yield from (
        f"  {row}" for row in render_title(previous, Page(page.room(2), page.colour), now).split("\n")
    )
    header = previous["trajectory"]
    if header and header["prompt"]:
        yield from _block("asked", escape_line(header["prompt"]), page, 3)


def _block(label: str, text: str, page: Page, most: int) -> list[str]:
    return page.block(unmarked(text), indent=_LABEL, label=f"  {label}" if label else "", lines=most)


# ---------------------------------------------------------------- for scripts


def render_porcelain(entry: Header, lines: Sequence[str], path: str) -> str:
    """One entry as ``git traj why --porcelain`` prints it; each value from a record is escaped, on one
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
