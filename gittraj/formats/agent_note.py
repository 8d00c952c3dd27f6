"""AgentNote's notes, ``refs/notes/agentnote``: one JSON object per commit, as version 1.0.8 writes it.

A note has the prompts since the session's previous commit, the answer to each if it was found, and how many
of the commit's lines are the agent's. It has no calls, only the names of the tools that each prompt led to.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from gittraj.formats.base import coerce
from gittraj.formats.base.notes_file import Note, NotesFile, name_agent, parse_json
from gittraj.formats.base.position import facts
from gittraj.model.session_items import Edit, Item
from gittraj.model.values import Message, NoteEvent, Prompt

name = "agentnote"
agent = "claude-code"


def _session_ids(note: Note) -> list[str] | None:
    content = parse_json(note.text)
    known = content.get("v") == 1 and isinstance(content.get("interactions"), list)
    session = coerce.text(content.get("session_id"))
    return [session] if known and session else None


def _read_note(note: Note, _session: str) -> Iterator[Item]:
    content = parse_json(note.text)
    model = coerce.text(content.get("model"))
    yield from facts(agent=name_agent(content.get("agent")), model=model)
    for number, interaction in enumerate(coerce.objects(content.get("interactions"))):
        prefix = f"{note.prefix}.{number}"
        for at, context in enumerate(coerce.objects(interaction.get("contexts"))):
            if text := coerce.text(context.get("text")):
                remark = NoteEvent(id=f"{prefix}:context{at}", content=text, kind="note", tags=("context",))
                yield note.entry(remark)
        prompt = coerce.string(interaction.get("prompt"))
        yield note.entry(Prompt(id=f"{prefix}:prompt", content=prompt))
        tools, files = (", ".join(coerce.texts(interaction.get(key))) for key in ("tools", "files_touched"))
        if tools or files:
            summary = f"Used {tools or 'no tool'}{f', for {files}' if files else ''}"
            yield note.entry(NoteEvent(id=f"{prefix}:used", content=summary, kind="note", tags=("tools",)))
        if text := coerce.text(interaction.get("response")):
            yield note.entry(Message(id=f"{prefix}:answer", content=text, model=model))
    yield from _closing(note, content)


def _closing(note: Note, content: dict[str, Any]) -> Iterator[Item]:
    """The items for what the note says about the commit itself."""
    attribution = coerce.mapping(content.get("attribution"))
    line_counts = coerce.mapping(attribution.get("lines"))
    files = [
        (coerce.text(file.get("path")), file.get("by_ai")) for file in coerce.objects(content.get("files"))
    ]
    text = f"AgentNote: {coerce.count(attribution.get('ai_ratio'))} % by the agent"
    if line_counts:
        added, total = (coerce.count(line_counts.get(f"{kind}_added")) for kind in ("ai", "total"))
        text += f", {added} of {total} lines added"
    raw = {"attribution": attribution, "files": [path for path, _ in files]}
    edits = [Edit(path=path) for path, by_agent in files if path and by_agent is True]
    ts = coerce.stamp(content.get("timestamp")) or note.ts
    return note.closing(text, edits=edits, ts=ts, tags=("attribution",), raw=raw)


_STORE = NotesFile(_session_ids, _read_note)
detect, sessions, read = _STORE.detect, _STORE.sessions, _STORE.read
