"""A trajectory as a Markdown page for people: a file, a wiki, a pull request.

What agents, users and committers wrote becomes plain words (``escape``), a code span (``code``) or stands in
a fence that it cannot close (``fence``): no link, image, mention, heading or HTML of theirs comes alive.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from gittraj.render import terminal
from gittraj.render.detail import Detail, is_shown, thinking_note
from gittraj.render.events import Event, call_in_words, failed, in_words, result_in_words
from gittraj.render.words import Header, count, facts, marks, money, sure, tests, tokens

_MARKUP = re.compile(r"([\\`*_\[\]{}|~!^])")
_ENTITIES = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;"})
# What GitHub and others make live in plain words: mentions, issues, commits, addresses, emoji, formulas
_HOT = re.compile(r"[@#$]|://|:[\w+-]+:|\b[0-9a-f]{7,}\b|\b[A-Z]+-\d|(?i:\bwww\.|\bgh-\d|\bmailto:|\bxmpp:)")
_OPENS_A_BLOCK = re.compile(r"^(\d*)([-+=.)])")
_RESULT, _CALL = 20, 200  # lines of a result and columns of a call that are shown unless all is asked for


def escape(text: str) -> str:
    """``text`` as plain words on one line; a word that something would make live is a code span."""
    words = [
        code(word) if _HOT.search(word) else _MARKUP.sub(r"\\\1", word).translate(_ENTITIES)
        for word in terminal.escape_line(text).split()
    ]
    return _OPENS_A_BLOCK.sub(r"\1\\\2", " ".join(words))


def code(text: str) -> str:
    """A code span that shows ``text``, whatever backticks are in it. A bar would end a table's cell."""
    shown = terminal.escape_line(text).replace("|", "¦")
    ticks = _longer_than_any(shown, 1)
    edge = " " if shown[:1] in ("`", "") or shown[-1:] == "`" else ""
    return f"{ticks}{edge}{shown}{edge}{ticks}"


def fence(text: str) -> str:
    """A block that shows ``text`` as it is."""
    shown = terminal.escape(text.strip("\n"))
    ticks = _longer_than_any(shown, 3)
    return f"{ticks}text\n{shown}\n{ticks}"


def quote(text: str) -> str:
    """A block quotation that keeps the lines of ``text``."""
    lines = [f"> {escape(line)}".rstrip() for line in text.strip().split("\n")]
    ends = ["\\" if ">" not in pair else "" for pair in pairwise(lines)]
    return "\n".join(line + end for line, end in zip(lines, [*ends, ""], strict=True))


def _longer_than_any(text: str, least: int) -> str:
    return "`" * max(least, *(len(run) + 1 for run in re.findall("`+", text)), least)


def render_markdown(entry: Header | None, trajectories: Sequence[Header], *, detail: Detail) -> Iterator[str]:
    """The page: a commit (None: a trajectory on its own) and its trajectories, section by section."""
    if entry is not None:
        yield f"# {escape(entry['subject'])}\n"
        yield f"\nCommit {code(entry['commit'])} by {escape(entry['author']['name'])}, {entry['date'][:10]}\n"
    for told in trajectories:
        depth = "##" if entry else "#"
        yield f"\n{depth} {escape(told['title'] or 'Untitled')}\n"
        for title, body in _sections(told, detail):
            heading = f"\n{depth}# {title}\n" if title else ""
            yield f"{heading}\n{body}\n"


def _sections(told: Header, detail: Detail) -> Iterator[tuple[str, str]]:
    small = [escape(fact) for fact in (*facts(told), *marks(told)) if fact]
    yield "", f"> {' · '.join([code(told['id']), *small])}"
    if told["prompt"]:
        yield "Asked", quote(told["prompt"])
    if told["summary"]:
        yield "Why", quote(told["summary"])
    if told["decisions"]:
        yield "Decisions", _decisions(told["decisions"])
    if told["caveats"]:
        yield "Doubts", "\n".join(f"- {escape(doubt)}" for doubt in told["caveats"])
    if told["filesChanged"]:
        yield "Files", "\n".join(_file(file) for file in told["filesChanged"])
    if told["retrospective"]:
        yield "Looking back", _retrospective(told["retrospective"])
    for chapter in told["chapters"]:
        if body := _chapter([e for e in chapter["events"] if is_shown(e, detail)], detail):
            yield f"Chapter: {escape(chapter['title'])}", body
    if detail.thinking and (said := thinking_note(told)):
        yield "", said
    if ran := tests(told["tests"]):
        yield "Tests", ran
    if cost := ", ".join(filter(None, (money(told["part"]), tokens(told["part"]["usage"])))):
        yield "Cost", cost


def _decisions(decisions: Sequence[Header]) -> str:
    rows = ["| Chose | Rejected | Because | By |", "| --- | --- | --- | --- |"]
    for decision in decisions:
        by = ", ".join(filter(None, (decision["by"], sure(decision["confidence"]))))
        others = "; ".join(decision["alternatives"])
        cells = (decision["chosen"], others, decision["reasoning"] or "", by)
        rows.append(f"| {' | '.join(map(escape, cells))} |")
    return "\n".join(rows)


def _file(file: Header) -> str:
    back = f", {count(file['reverts'], 'revert')}" if file.get("reverts") else ""
    return f"- {code(file['path'])} ({file['kind']}, {count(file['edits'], 'edit')}{back})"


def _retrospective(told: Header) -> str:
    parts = [quote(told[key]) for key in ("summary", "approach") if told[key]]
    for key in ("challenges", "learnings", "suggestions"):
        if told[key]:
            parts.append(f"{key.capitalize()}:\n\n" + "\n".join(f"- {escape(item)}" for item in told[key]))
    return "\n\n".join(parts)


def _chapter(events: Sequence[Event], detail: Detail) -> str:
    """The events as paragraphs; calls that follow each other are one list."""
    text, before = "", ""
    for event in events:
        calls = before == event["type"] == "tool_call"
        text += ("\n" if calls else "\n\n") + _event(event, detail)
        before = event["type"]
    return text.strip("\n")


def _event(event: Event, detail: Detail) -> str:
    match event["type"]:
        case "prompt":
            return f"**Asked**\n\n{quote(event['content'])}"
        case "message":
            return quote(event["content"])
        case "tool_call":
            name, about = call_in_words(event)
            shown = terminal.cut(terminal.escape_line(about), None if detail.everything else _CALL)
            return f"- {code(name)} {code(shown)}"
        case "tool_result":
            lines = event["content"].strip().split("\n")
            kept = lines if detail.everything or len(lines) <= _RESULT else ["…", *lines[-_RESULT:]]
            said = f"**{result_in_words(event)}**\n\n" if failed(event) else ""
            return said + fence("\n".join(kept))
        case kind:
            return f"**{escape(kind)}**: {escape(in_words(event))}"
