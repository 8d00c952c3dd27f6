"""Recorded commits in the terminal: the prompt, the decisions and the reasons."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime

from gittraj.model.header import Header
from gittraj.model.sides import because, decided, vouched
from gittraj.model.times import parse_time
from gittraj.model.words import (
    NO_COMMIT,
    brief,
    count,
    duration,
    facts,
    marks,
    model_of,
    money,
    participants,
    run,
    taken_back,
    task,
    unmarked,
    unstructured,
    who,
)
from gittraj.model.words_of_tests import is_bad, tests
from gittraj.render.properties import account
from gittraj.render.text.terminal import Page, cut, escape, escape_line, width, wrap

_YEAR = 31_557_600  # in seconds, like the ages
_AGES = (("month", 2_629_800), ("week", 604_800), ("day", 86_400), ("hour", 3_600), ("minute", 60))
_INDENT = 2
_LABEL = 11  # columns that a label takes, margin included
_BRIEF = 3  # lines of a prompt or a reason in a listing
_DECISIONS = 3  # the maximum number of decisions, and of doubts, in a listing
_LISTED = 30  # trajectories of one commit in a listing: anybody may have pushed hundreds
_RETROSPECTIVE = (
    ("overall", "summary"),
    ("approach", "approach"),
    ("trouble", "challenges"),
    ("learned", "learnings"),
    ("next", "suggestions"),
)


def render_entry(entry: Header, page: Page, now: datetime) -> str:
    """One commit of ``git traj log``."""
    return render_title(entry, page, now) + render_below_title(entry["trajectories"], page)


def render_below_title(headers: Sequence[Header], page: Page) -> str:
    """The lines below a commit's title, beginning with a line break."""
    lines = [""]
    for number, header in enumerate(headers[:_LISTED]):
        lines += [""] * bool(number)
        lines += render_header(header, page, brief=True)
    if left := len(headers[_LISTED:]):
        lines += ["", page.paint(f"  {count(left, 'more trajectory')}; --trajectories lists them", "dim")]
    return "\n".join(lines) + "\n"


def render_oneline(entry: Header, small: str, page: Page) -> str:
    """One commit on one line: its subject, and ``small``, the ``render_small`` of its trajectories."""
    about = " · ".join(filter(None, (taken_back(entry), small)))
    return _on_one_line(entry["short"], escape_line(entry["subject"]), about, page)


def render_small(headers: Sequence[Header]) -> str:
    """Agent, duration and cost of a commit's trajectories, on one line."""
    small = []
    for header in headers[:_LISTED]:
        decisions = count(len(header["decisions"]), "decision") if header["decisions"] else None
        small.append(escape_line(" · ".join(filter(None, (*brief(header), decisions)))))
    if left := len(headers[_LISTED:]):
        small.append(f"{left} more")
    return " + ".join(small)


_FILTERED_BY = ("startedAt", "agent", "models", "task", "tags", "status", "confidence")
_RUN = ("id", "solve", "instance")


def row_of(header: Header) -> Header:
    """The fields that ``render_row`` shows, and those that a listing filters by, except for ``--grep``."""
    name = escape_line(header["title"] or header["prompt"] or "(untitled)")
    if instance := (header.get("run") or {}).get("instance"):
        name = f"{escape_line(instance)}: {name}"  # all runs of a benchmark may have the same prompt
    total = header["total"]
    is_explored = header["link"]["role"] == "explored"
    commits = NO_COMMIT if is_explored else count(len(header.get("commits", ())), "commit")
    facts = [who(header), header["status"], commits]
    facts += [duration(total["durationSeconds"]), money(total)]
    return {
        **{key: header[key] for key in _FILTERED_BY},
        "run": header["run"] and {key: header["run"][key] for key in _RUN},
        "decisions": bool(header["decisions"]),
        "part": {"costUsd": header["part"]["costUsd"]},
        "total": {"costUsd": total["costUsd"]},
        "id": escape_line(header["id"]),
        "name": name,
        "facts": escape_line(" · ".join(filter(None, facts))),
    }


def render_row(header: Header, page: Page, now: datetime) -> str:
    """One trajectory on one line; ``header`` may be its ``row_of``."""
    row = header if "facts" in header else row_of(header)
    facts = " · ".join(filter(None, (row["facts"], ago(row["startedAt"], now))))
    return _on_one_line(row["id"], unmarked(row["name"]), facts, page)


def render_runs(entry: Header, page: Page) -> str:
    """A line with the number of runs that made no commit."""
    runs = count(len(entry["trajectories"]), "run")
    return page.paint(f"{runs} without a commit; --trajectories lists them", "dim") + "\n"


def _on_one_line(name: str, text: str, small: str, page: Page) -> str:
    """Put text and small print on one line, of which the text gets at least two thirds."""
    room = page.room(len(name) + 1)
    if room is not None:
        text = cut(text, max(room * 2 // 3, room - width(small) - 2))
        small = cut(small, room - width(text) - 2)
    return f"{page.paint(name, 'yellow')} {text}  {page.paint(small, 'dim')}".rstrip() + "\n"


def render_header(header: Header, page: Page, *, brief: bool) -> list[str]:
    """Prompt, summary, decisions, caveats, tests and the small print; ``brief`` for a listing."""
    lines = []
    for label, text, most in _paragraphs(header, brief=brief):
        shown = escape_line(unstructured(text)) if brief else escape(unmarked(text.strip()))
        lines += page.block(shown, indent=_LABEL, label=" " * _INDENT + label, lines=most)
    lines += _decisions(header, page, brief=brief)
    for number, caveat in enumerate(header["caveats"][: _DECISIONS if brief else None]):
        label = " " * _INDENT + "doubts" if number == 0 else ""
        source = None if brief else header["caveatSources"][number]
        text = escape_line(unmarked(caveat)) + _name(source and source["id"], page)
        lines += page.block(text, indent=_LABEL, label=label, lines=2 if brief else None)
    return [*lines, *render_tests(header, page), *render_small_print(header, page)]


def render_tests(header: Header, page: Page) -> list[str]:
    """The last test run, or other check, if there was one."""
    if not (outcome := tests(header["tests"])):
        return []
    colour = ["red"] if is_bad(header["tests"]) else []
    return page.block(outcome, *colour, indent=_LABEL, label=" " * _INDENT + "tests")


def render_title(entry: Header, page: Page, now: datetime) -> str:
    """A commit's id, subject, age and author; if they do not fit on one line, the last two are below."""
    about = f"{ago(entry['date'], now)} by {escape_line(entry['author']['name'])}".strip()
    about += f", {reverted}" if (reverted := taken_back(entry)) else ""
    start = len(entry["short"]) + 1
    about = cut(about, page.room(start))
    rows = wrap(escape_line(entry["subject"]), page.room(start)) or [""]
    margin = "\n" + " " * start
    subject = margin.join(page.paint(row, "bold") for row in rows)
    fits = page.columns is None or start + width(rows[-1]) + 2 + width(about) <= page.columns
    gap = "  " if fits else margin
    return f"{page.paint(entry['short'], 'yellow')} {subject}{gap}{page.paint(about, 'dim')}"


def ago(time: str | None, now: datetime) -> str:
    """The age, such as ``3 days ago``; the date itself after a year; empty if it is not known."""
    moment = parse_time(time)
    if moment is None:
        return ""
    seconds = (now - moment).total_seconds()
    if seconds >= _YEAR:
        return moment.date().isoformat()
    for unit, size in _AGES:
        if seconds >= 2 * size:
            return f"{seconds // size:.0f} {unit}s ago"
    return "just now"


def _paragraphs(header: Header, *, brief: bool) -> Iterator[tuple[str, str, int | None]]:
    """Yield labels, texts, and how many lines each may take."""
    most = _BRIEF if brief else None
    yield from _asked(header, brief=brief)
    for title, text in account(header):
        if title == "Summary":
            name = "" if brief else f" id {header['summaryId'][:8]}"
            text = f"{text} (by the model {model_of(header['summaryBy'])}){name}"  # noqa: PLW2901
        if title != "Asked":
            yield "said" if title == "Last words" else title.lower(), text, most
    if not (brief and header["summary"]):
        yield from _looked_back(header, most)


def _looked_back(header: Header, most: int | None) -> Iterator[tuple[str, str, int | None]]:
    retrospective = header["retrospective"] or {}
    for label, key in _RETROSPECTIVE:
        value = retrospective.get(key)
        if value and value != header["summary"]:
            yield label, value if isinstance(value, str) else "\n".join(value), most


def _asked(header: Header, *, brief: bool) -> Iterator[tuple[str, str, int | None]]:
    """Yield the prompt or title, the task, the run and the participants, as ``_paragraphs`` does."""
    if brief and not header["prompt"] and header["title"]:
        yield "title", header["title"], _BRIEF
    if header["prompt"]:
        yield "asked", header["prompt"], _BRIEF if brief else None
    for label, text in (("task", task(header)), ("run", run(header)), ("with", participants(header))):
        if text:
            yield label, text, 1 if brief else None


def _decisions(header: Header, page: Page, *, brief: bool) -> list[str]:
    lines = []
    decisions = header["decisions"]
    shown = decisions[:_DECISIONS] if brief else decisions
    for number, decision in enumerate(shown):
        label = " " * _INDENT + "decided" if number == 0 else ""
        text = render_decision(decision, page) + _name("" if brief else decision["id"], page)
        lines += page.block(text, indent=_LABEL, label=label, lines=3 if brief else None)
    if len(decisions) > len(shown):
        lines += page.block(f"and {len(decisions) - len(shown)} more", "dim", indent=_LABEL)
    return lines


def _name(statement: str | None, page: Page) -> str:
    """The id of a statement, with which ``git traj strike`` names it."""
    return f" {page.paint('id', 'dim')} {page.paint(statement[:8], 'dim')}" if statement else ""


def render_decision(decision: Header, page: Page) -> str:
    """A decision as ``X over Y and Z, because W``, and who recorded it."""
    text = escape_line(decided(decision))
    if decision["reasoning"]:
        text += f", {because(escape_line(decision['reasoning']))}"
    notes = escape_line(vouched(decision) or "")
    # painted word by word, so that a line break never falls inside a painted stretch
    return " ".join([text, *(page.paint(word, "dim") for word in f"({notes})".split())]) if notes else text


def render_small_print(header: Header, page: Page) -> list[str]:
    """The lines with the agent, model, cost and other facts; a line is broken between facts only."""
    parts: Sequence[str] = [escape_line(fact) for fact in (*facts(header), *marks(header)) if fact]
    rows: list[str] = []
    for fact in parts:
        longer = f"{rows[-1]} · {fact}" if rows else fact
        room = page.room(_INDENT)
        if rows and (room is None or width(longer) <= room):
            rows[-1] = longer
        else:
            rows.append(fact)
    return [" " * _INDENT + page.paint(cut(row, page.room(_INDENT)), "dim") for row in rows]
