"""The Markdown that ``trail`` keeps beside a trajectory, ``summary.md``, in its own words and order.

It must agree with what ``trail export --format markdown`` makes of the same document, in UTC.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from gittraj.formats.base import coerce
from gittraj.model.times import parse_time

_STATUS = {"completed": "✅ Completed", "abandoned": "❌ Abandoned", "active": "🔄 Active"}


def summarise(document: Mapping[str, Any]) -> str:
    sections = [list(_head(document)), *_sections(document)]
    return "\n".join("\n".join(section) for section in sections).rstrip() + "\n"


def chapter_page(chapter: Mapping[str, Any], number: int) -> str:
    """All that a chapter's events say, as a page of its own."""
    contents = ((e.get("type"), coerce.text(e.get("content")) or "") for e in chapter["events"])
    text = ("- **{}** {}".format(kind, content.replace("\n", "\n  ")) for kind, content in contents)
    head = (f"# {number}. {chapter['title']}", f"*Agent: {chapter['agentName']}*", "")
    return "\n".join([*head, *text]) + "\n"


def _head(document: Mapping[str, Any]) -> Iterator[str]:
    task, retrospective = document["task"], document.get("retrospective")
    yield f"# Trajectory: {task['title']}"
    yield ""
    yield f"> **Status:** {_STATUS[document['status']]}"
    if source := task.get("source"):
        yield f"> **Task:** {'[{id}]({url})'.format(**source) if source.get('url') else source['id']}"
    if retrospective:
        yield f"> **Confidence:** {round(retrospective['confidence'] * 100)}%"
    yield f"> **Started:** {_when(document['startedAt'])}"
    if document.get("completedAt"):
        yield f"> **Completed:** {_when(document['completedAt'])}"
    yield ""


def _sections(document: Mapping[str, Any]) -> Iterator[list[str]]:
    retrospective = document.get("retrospective") or {}
    if retrospective:
        yield [
            *("---", "", "## Summary", "", retrospective["summary"], ""),
            *(f"**Approach:** {retrospective['approach']}", ""),
        ]
    if decisions := [*_decisions(document)]:
        yield ["---", "", "## Key Decisions", "", *(line for item in decisions for line in _decision(item))]
    if document["chapters"]:
        yield ["---", "", "## Chapters", "", *_chapters(document["chapters"])]
    for title in ("Challenges", "Learnings", "Suggestions"):
        if items := retrospective.get(title.lower()):
            yield ["---", "", f"## {title}", "", *(f"- {item}" for item in items), ""]
    if document.get("commits") or document.get("filesChanged"):
        yield ["---", "", "## Artifacts", "", *_artifacts(document)]


def _decisions(document: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """Those that give a reason, each question once."""
    asked: set[Any] = set()
    events = (event for chapter in document["chapters"] for event in chapter["events"])
    records = (event.get("raw") for event in events if event["type"] == "decision")
    for raw in (*(document.get("retrospective") or {}).get("decisions", ()), *records):
        texts = [coerce.text(coerce.mapping(raw).get(key)) for key in ("question", "chosen", "reasoning")]
        if all(texts) and texts[0] not in asked:
            asked.add(texts[0])
            yield raw


def _decision(raw: Mapping[str, Any]) -> Iterator[str]:
    yield f"### {raw.get('question')}"
    yield f"- **Chose:** {raw.get('chosen')}"
    others = raw.get("alternatives")
    if isinstance(others, list) and others:
        named = (str(option.get("option") if isinstance(option, dict) else option) for option in others)
        yield f"- **Rejected:** {', '.join(named)}"
    yield f"- **Reasoning:** {raw['reasoning']}"
    yield ""


def _chapters(chapters: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    for number, chapter in enumerate(chapters, 1):
        yield f"### {number}. {chapter['title']}"
        yield f"*Agent: {chapter['agentName']}*"
        yield ""
        shown = [
            event["content"]
            for event in chapter["events"]
            if event["type"] == "decision" or event.get("significance") in ("high", "critical")
        ]
        yield from (f"- {content}" for content in shown)
        yield from [""] if shown else []


def _artifacts(document: Mapping[str, Any]) -> Iterator[str]:
    if document.get("commits"):
        yield f"**Commits:** {', '.join(document['commits'])}"
    if document.get("filesChanged"):
        yield f"**Files changed:** {len(document['filesChanged'])}"


def _when(stamp: str) -> str:
    moment = parse_time(stamp)
    return f"{moment:%B} {moment.day}, {moment:%Y} at {moment:%I:%M %p}" if moment else stamp
