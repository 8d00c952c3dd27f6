"""Reads and writes the Markdown of ``trail``: ``.trajectory.md``, an export for people, and ``summary.md``,
which ``trail`` keeps next to a trajectory.

Markdown is only read if the JSON document that it was made from, which has more, is not in the same folder.
The Markdown that is written must equal the output of ``trail export --format markdown`` for the same
document, in UTC.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from gittraj.formats.agent_trajectories.read import read_document
from gittraj.formats.base import coerce
from gittraj.formats.base.document import read_head
from gittraj.model.session_items import Item
from gittraj.model.times import parse_time

name = "trajectory-markdown"
agent = "agent-trajectories"

_LIMIT = 64 * 1024 * 1024
_TITLE = re.compile(r"\A\ufeff?\s*# Trajectory: ([^\n]*)")
_LABEL = re.compile(r"^> \*\*(\w+):\*\* (.*)$", re.MULTILINE)
_SECTION = re.compile(r"^## (.+)$", re.MULTILINE)
_PART = re.compile(r"^### (?:\d+\. )?(.+)$", re.MULTILINE)
_ITEM = re.compile(r"^- (.*(?:\n(?!- |#|\*|---).*)*)", re.MULTILINE)
_POINT = re.compile(r"^- \*\*(\w+):\*\* (.*)$", re.MULTILINE)
_LINK = re.compile(r"\[([^\]]*)\]\(([^)\s]*)\)")


def detect(path: Path) -> bool:
    """Whether ``path`` is such a Markdown file, without the JSON document in its folder."""
    if not _TITLE.match(read_head(path).decode("utf-8", "replace")):
        return False
    stem = path.name.removesuffix(".md")
    try:
        return not any((path.parent / name).exists() for name in (f"{stem}.json", "trajectory.json"))
    except OSError:
        return False


def sessions(path: Path) -> Iterator[str]:
    """Yield the only session's id: the file's name without its suffixes."""
    yield path.name.removesuffix(".md").removesuffix(".trajectory")


def read(path: Path, session: str) -> Iterator[Item]:
    with path.open("rb") as stream:
        text = stream.read(_LIMIT).decode("utf-8", "replace").replace("\r\n", "\n")
    yield from read_document({**_document(text), "id": session}, end=path.stat().st_size)


def _document(text: str) -> dict[str, Any]:
    """Restore the fields of the JSON document that the Markdown ``text`` shows."""
    title = _TITLE.match(text)
    labels = dict(_LABEL.findall(text))
    sections = _sections(text)
    task: dict[str, Any] = {"title": title[1].strip() if title else ""}
    if link := _LINK.fullmatch(labels.get("Task", "")):
        task["source"] = {"system": "url", "id": link[1], "url": link[2]}
    words = labels.get("Status", "").lower().split()
    document: dict[str, Any] = {"task": task, "chapters": [*_chapters(sections)]}
    if status := next((word for word in _STATUS if word in words), None):
        document["status"] = status
    if retrospective := _retrospective(sections, labels):
        document["retrospective"] = retrospective
    return document


def _sections(text: str) -> dict[str, str]:
    """Return the text below each heading of level 2."""
    _, *split = _SECTION.split(text)
    bodies = (re.sub(r"\n---\s*$", "", body.rstrip()).strip() for body in split[1::2])
    return dict(zip((title.strip() for title in split[::2]), bodies, strict=True))


def _parts(text: str) -> Iterator[tuple[str, str]]:
    """Yield each heading of level 3 without its number, and the text below it."""
    _, *split = _PART.split(text)
    yield from zip(split[::2], split[1::2], strict=True)


def _chapters(sections: dict[str, str]) -> Iterator[dict[str, Any]]:
    reasons = {title: dict(_POINT.findall(body)) for title, body in _parts(sections.get("Key Decisions", ""))}
    chapters: list[dict[str, Any]] = []
    for title, body in _parts(sections.get("Chapters", "")):
        author = re.search(r"^\*Agent: (.*)\*$", body, re.MULTILINE)
        events = [_event(item.strip(), reasons) for item in _ITEM.findall(body)]
        chapters.append({"title": title, "agentName": author[1] if author else "", "events": events})
    if reasons:
        chapters = chapters or [{"title": "Key Decisions", "agentName": "", "events": []}]
        chapters[-1]["events"] += [_decision(title, fields) for title, fields in reasons.items()]
    yield from chapters


def _event(text: str, reasons: dict[str, dict[str, str]]) -> dict[str, Any]:
    """Return the decision that ``text`` states, which is removed from ``reasons``, or else a note."""
    for title, fields in reasons.items():
        if text == f"{title}: {fields.get('Chose')}":
            return _decision(title, reasons.pop(title))
    return {"type": "note", "content": text}


def _decision(title: str, fields: dict[str, str]) -> dict[str, Any]:
    rejected = [name for name in fields.get("Rejected", "").split(", ") if name]
    raw = {"question": title, "chosen": fields.get("Chose", title), "alternatives": rejected}
    raw |= {"reasoning": fields.get("Reasoning", "")}
    return {"type": "decision", "content": f"{title}: {raw['chosen']}", "raw": raw}


def _retrospective(sections: dict[str, str], labels: dict[str, str]) -> dict[str, Any]:
    summary, _, approach = sections.get("Summary", "").partition("**Approach:**")
    fields: dict[str, Any] = {"summary": summary.strip(), "approach": approach.strip()}
    for title in ("Challenges", "Learnings", "Suggestions"):
        fields[title.lower()] = [item.strip() for item in _ITEM.findall(sections.get(title, ""))]
    fields = {key: value for key, value in fields.items() if value}
    percent = labels.get("Confidence", "").removesuffix("%")
    is_known = fields and re.fullmatch(r"\d{1,3}", percent)
    return {**fields, "confidence": int(percent) / 100} if is_known else fields


_STATUS = {"completed": "✅ Completed", "abandoned": "❌ Abandoned", "active": "🔄 Active"}


def summarise(document: Mapping[str, Any]) -> str:
    """The Markdown of a document."""
    sections = [list(_head(document)), *_build_sections(document)]
    return "\n".join("\n".join(section) for section in sections).rstrip() + "\n"


def chapter_page(chapter: Mapping[str, Any], number: int) -> str:
    """A page of Markdown with the contents of all events of a chapter."""
    contents = ((e.get("type"), coerce.string(e.get("content"))) for e in chapter["events"])
    items = ("- **{}** {}".format(kind, content.replace("\n", "\n  ")) for kind, content in contents)
    head = (f"# {number}. {chapter['title']}", f"*Agent: {chapter['agentName']}*", "")
    return "\n".join([*head, *items]) + "\n"


def _head(document: Mapping[str, Any]) -> Iterator[str]:
    task, retrospective = document["task"], document.get("retrospective")
    yield f"# Trajectory: {task['title']}"
    yield ""
    yield f"> **Status:** {_STATUS[document['status']]}"
    if source := task.get("source"):
        yield f"> **Task:** {'[{id}]({url})'.format(**source) if source.get('url') else source['id']}"
    if retrospective:
        yield f"> **Confidence:** {round(retrospective['confidence'] * 100)}%"
    yield f"> **Started:** {_format_time(document['startedAt'])}"
    if document.get("completedAt"):
        yield f"> **Completed:** {_format_time(document['completedAt'])}"
    yield ""


def _build_sections(document: Mapping[str, Any]) -> Iterator[list[str]]:
    retrospective = document.get("retrospective") or {}
    if retrospective:
        yield [
            *("---", "", "## Summary", "", retrospective["summary"], ""),
            *(f"**Approach:** {retrospective['approach']}", ""),
        ]
    if decisions := [*_decisions(document)]:
        yield ["---", "", "## Key Decisions", "", *_build_decisions(decisions)]
    if document["chapters"]:
        yield ["---", "", "## Chapters", "", *_build_chapters(document["chapters"])]
    for title in ("Challenges", "Learnings", "Suggestions"):
        if items := retrospective.get(title.lower()):
            yield ["---", "", f"## {title}", "", *(f"- {item}" for item in items), ""]
    if document.get("commits") or document.get("filesChanged"):
        yield ["---", "", "## Artifacts", "", *_artifacts(document)]


def _decisions(document: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """Yield the decisions that state a question, a choice and a reason: the first for each question."""
    questions: set[Any] = set()
    events = (event for chapter in document["chapters"] for event in chapter["events"])
    records = (event.get("raw") for event in events if event["type"] == "decision")
    for raw in (*(document.get("retrospective") or {}).get("decisions", ()), *records):
        texts = [coerce.text(coerce.mapping(raw).get(key)) for key in ("question", "chosen", "reasoning")]
        if all(texts) and texts[0] not in questions:
            questions.add(texts[0])
            yield raw


def _build_decisions(decisions: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    for raw in decisions:
        yield f"### {raw.get('question')}"
        yield f"- **Chose:** {raw.get('chosen')}"
        options = raw.get("alternatives")
        if isinstance(options, list) and options:
            names = (str(option.get("option") if isinstance(option, dict) else option) for option in options)
            yield f"- **Rejected:** {', '.join(names)}"
        yield f"- **Reasoning:** {raw['reasoning']}"
        yield ""


def _build_chapters(chapters: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    for number, chapter in enumerate(chapters, 1):
        yield f"### {number}. {chapter['title']}"
        yield f"*Agent: {chapter['agentName']}*"
        yield ""
        contents = [
            event["content"]
            for event in chapter["events"]
            if event["type"] == "decision" or event.get("significance") in ("high", "critical")
        ]
        yield from (f"- {content}" for content in contents)
        yield from [""] if contents else []


def _artifacts(document: Mapping[str, Any]) -> Iterator[str]:
    if document.get("commits"):
        yield f"**Commits:** {', '.join(document['commits'])}"
    if document.get("filesChanged"):
        yield f"**Files changed:** {len(document['filesChanged'])}"


def _format_time(stamp: str) -> str:
    moment = parse_time(stamp)
    return f"{moment:%B} {moment.day}, {moment:%Y} at {moment:%I:%M %p}" if moment else stamp
