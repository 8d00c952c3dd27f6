"""AgentNote's notes, ``refs/notes/agentnote``: a JSON object a commit, as version 1.0.8 writes it.

It has a session's prompts since its commit before, the answer to each where it was found, and how many of
the commit's lines are the agent's. It has no calls, only the names of the tools that a prompt led to.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from gittraj.formats.base import coerce, lines
from gittraj.formats.base.notes_file import Note, first_texts, name_agent, read_session, sessions_of
from gittraj.model.session_items import Edit, Entry, Fact, Item, TurnEnd
from gittraj.model.values import Message, NoteEvent, Prompt

name = "agentnote"
agent = "claude-code"


def detect(path: Path) -> bool:
    """Whether the file contains notes of AgentNote."""
    return any(_parse(text) for text in first_texts(path))


def sessions(path: Path) -> Iterator[str]:
    """The ids of the sessions. Raises OSError."""
    yield from sessions_of(path, _names).starts


def read(path: Path, session: str) -> Iterator[Item]:
    """The items of one session. Raises OSError, or FormatError if it is not there any more."""
    return read_session(path, session, _names, _read_note)


def _read_note(note: Note) -> Iterator[Item]:
    if (content := _parse(note.text)) is not None:
        yield Fact(name="agent", value=name_agent(content.get("agent")))
        yield from _items(note, content)


def _names(note: Note) -> list[str] | None:
    content = _parse(note.text)
    return None if content is None else [content["session_id"]]


def _parse(text: str) -> dict[str, Any] | None:
    try:
        value = lines.decode(text)
    except (ValueError, RecursionError):
        return None
    known = isinstance(value, dict) and value.get("v") == 1 and isinstance(value.get("interactions"), list)
    return value if known and coerce.text(value.get("session_id")) else None


def _items(note: Note, content: dict[str, Any]) -> Iterator[Item]:
    if model := coerce.text(content.get("model")):
        yield Fact(name="model", value=model)
    for number, interaction in enumerate(coerce.objects(content["interactions"])):
        own = f"{note.prefix}.{number}"
        for at, context in enumerate(coerce.objects(interaction.get("contexts"))):
            if text := coerce.text(context.get("text")):
                remark = NoteEvent(id=f"{own}:context{at}", content=text, kind="note", tags=("context",))
                yield Entry(event=remark, end=note.end)
        yield Entry(
            event=Prompt(id=f"{own}:prompt", content=coerce.text(interaction.get("prompt")) or ""),
            end=note.end,
        )
        used, wrote = (", ".join(_texts(interaction.get(key))) for key in ("tools", "files_touched"))
        if used or wrote:
            summary = f"Used {used or 'no tool'}{f', for {wrote}' if wrote else ''}"
            yield Entry(
                event=NoteEvent(id=f"{own}:used", content=summary, kind="note", tags=("tools",)), end=note.end
            )
        if text := coerce.text(interaction.get("response")):
            yield Entry(event=Message(id=f"{own}:answer", content=text, model=model), end=note.end)
    yield _closing(note, content)
    yield TurnEnd(end=note.end)


def _texts(value: Any) -> list[str]:
    return [text for text in coerce.sequence(value) if isinstance(text, str)]


def _closing(note: Note, content: dict[str, Any]) -> Entry:
    """What the note says of the commit itself."""
    attribution = coerce.mapping(content.get("attribution"))
    counted = coerce.mapping(attribution.get("lines"))
    files = [
        (coerce.text(file.get("path")), file.get("by_ai")) for file in coerce.objects(content.get("files"))
    ]
    text = f"AgentNote: {coerce.count(attribution.get('ai_ratio'))} % by the agent"
    if counted:
        added, total = (coerce.count(counted.get(f"{kind}_added")) for kind in ("ai", "total"))
        text += f", {added} of {total} lines added"
    event = NoteEvent(
        id=f"{note.prefix}:note",
        ts=coerce.stamp(content.get("timestamp")) or note.ts,
        content=text,
        kind="note",
        tags=("attribution",),
        raw={"attribution": attribution, "files": [path for path, _ in files]},
    )
    edits = tuple(Edit(path=path) for path, by_agent in files if path and by_agent is True)
    return Entry(event=event, end=note.end, edits=edits, on=note.commit)
