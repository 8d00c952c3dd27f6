"""zwarm's sessions: one folder each, ``.zwarm/sessions/<id>``, with ``meta.json`` and the agent's output,
``turns/turn_<n>.jsonl``.

Every turn is a new run of the agent, with its own thread and items numbered from 0 again, so ids of events
contain the turn's number. The prompts are only in ``meta.json``. Times there have no zone (they count as
UTC); that of an answer is when zwarm read it, so only prompts get a time.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from gittraj.errors import FormatError
from gittraj.formats.base import coerce
from gittraj.formats.base.document import load_beside, read_head
from gittraj.formats.base.position import facts
from gittraj.formats.codex import exec as codex_exec
from gittraj.model.session_items import Damage, Entry, Fact, Item, Spent
from gittraj.model.values import Message, NoteEvent, Prompt, ToolCall, ToolResult, Usage

name = "zwarm"
agent = "zwarm"

_SUBFOLDERS = ("", "sessions", ".zwarm/sessions")
_KEYS = frozenset(("id", "task", "status", "working_dir"))
_TURN = re.compile(r"turn_(\d{1,9})\.jsonl")
_STATUS = {"completed": "completed", "failed": "failed", "killed": "abandoned"}
_TOKENS = ("input_tokens", "", "", "output_tokens")
_ORCHESTRATOR = "orchestrator:"


def detect(path: Path) -> bool:
    """Whether ``path`` is a session's folder, or a folder with ``.zwarm/sessions`` or with sessions."""
    return next(_folders(path), None) is not None


def sessions(path: Path) -> Iterator[str]:
    """The ids of the sessions, which are their folders' names."""
    return (folder.resolve().name for folder in _folders(path))


def read(path: Path, session: str) -> Iterator[Item]:
    """Yield the items of one session. Raises FormatError if it is not there."""
    folder = next((match for match in _folders(path) if match.resolve().name == session), None)
    if folder is None:
        raise FormatError(f"{path} contains no session {session}", hint="list its sessions again")
    meta, damage = _load(folder)
    yield Fact(name="session", value=session)
    yield from _Reading(meta, folder).items()
    if damage:
        yield damage


class _Reading:
    def __init__(self, meta: dict[str, Any], folder: Path) -> None:
        self._meta = meta
        self._turns = dict(_turns(folder))
        self._messages = coerce.objects(meta.get("messages"))
        self._folder = coerce.text(meta.get("working_dir"))
        self._spent: dict[str, Usage] = {}  # by thread
        self._last: str | None = None  # the id of the last response
        self._status: str | None = None  # of the last turn

    def items(self) -> Iterator[Item]:
        meta = self._meta
        yield from facts(
            started_at=coerce.stamp(meta.get("created_at")),
            folder=self._folder,
            model=coerce.text(meta.get("model")),
            entrypoint=coerce.text(meta.get("adapter")) or "codex",
        )
        messages = self._messages_by_turn()
        for turn in sorted({*self._turns, *messages}):
            numbered = messages.get(turn, [])
            for number, message in numbered:
                if message.get("role") == "user":
                    yield self._prompt(turn, number, message)
            if turn in self._turns:
                yield from self._run(turn, self._turns[turn])
            else:
                yield from (self._answer(number, m) for number, m in numbered if m.get("role") == "assistant")
        yield from self._end()

    def _messages_by_turn(self) -> dict[int, list[tuple[int, dict[str, Any]]]]:
        """The numbered messages by turn: each turn begins with a user's message."""
        prompts = [m.get("content") for m in self._messages if m.get("role") == "user"]
        task = coerce.text(self._meta.get("task"))
        turn = 0
        messages: dict[int, list[tuple[int, dict[str, Any]]]] = {}
        if task and task not in prompts[:1]:  # some sessions keep only the messages after the first prompt
            turn = 1
            at = self._meta.get("created_at")
            messages[1] = [(-1, {"role": "user", "content": task, "timestamp": at})]
        for number, message in enumerate(self._messages):
            turn += message.get("role") == "user"
            messages.setdefault(max(turn, 1), []).append((number, message))
        return messages

    def _prompt(self, turn: int, number: int, message: dict[str, Any]) -> Entry:
        event = Prompt(
            id=f"turn_{turn}:prompt" if number < 0 else f"message_{number}:0",
            ts=coerce.stamp(message.get("timestamp")),
            content=coerce.string(message.get("content")),
        )
        return Entry(event=event, end=turn)

    def _answer(self, number: int, message: dict[str, Any]) -> Entry:
        self._last = f"message_{number}"
        text = coerce.string(message.get("content"))
        return Entry(event=Message(id=f"{self._last}:0", content=text, response=self._last), end=number)

    # ------------------------------------------------------------ the agent's output

    def _run(self, turn: int, path: Path) -> Iterator[Item]:
        thread = ""
        spent: dict[str, Usage] = {}
        with path.open("rb") as stream:
            for item in codex_exec.read(stream):
                match item:
                    case Entry():
                        yield self._entry(turn, item)
                    case Fact(name="session"):
                        thread = str(item.value)
                        yield Fact(name="alias", value=thread)
                    case Fact(name="status"):
                        self._status = str(item.value)
                    case Fact(name="entrypoint"):
                        pass
                    case Spent():
                        spent[item.response] = item.usage
                        yield self._own_tokens(turn, thread, item)
                    case _:
                        yield item
        self._spent[thread] = sum(spent.values(), Usage())

    def _entry(self, turn: int, entry: Entry) -> Entry:
        event = entry.event
        changes: dict[str, Any] = {"id": _in_turn(turn, event.id)}
        if event.response:
            changes["response"] = self._last = _in_turn(turn, event.response)
        if isinstance(event, ToolCall | ToolResult) and event.call_id:
            changes["call_id"] = _in_turn(turn, event.call_id)
        folder = entry.folder or (self._folder if isinstance(event, ToolCall) else None)
        return replace(entry, event=replace(event, **changes), folder=folder, session=None)

    def _own_tokens(self, turn: int, thread: str, spent: Spent) -> Spent:
        """The tokens of this turn alone: a thread's first report in a turn also counts its earlier turns."""
        before = self._spent.get(thread, Usage()) if spent.cumulative else Usage()
        usage = coerce.usage_since(spent.usage, before)
        return replace(spent, response=_in_turn(turn, spent.response), usage=usage, cumulative=False)

    # ------------------------------------------------------------ how it ended

    def _end(self) -> Iterator[Item]:
        meta = self._meta
        error = coerce.text(meta.get("error"))
        if error:
            yield Entry(event=NoteEvent(id="error:0", content=error, kind="error"), end=0)
        spent = coerce.usage(meta.get("token_usage"), _TOKENS, cached_in_input=False)
        if not self._turns and self._last and spent != Usage():
            yield Spent(response=self._last, usage=spent, cumulative=True)
        status = coerce.text(meta.get("status"))
        source = coerce.string(meta.get("source"))
        orchestrator = source.removeprefix(_ORCHESTRATOR) if source.startswith(_ORCHESTRATOR) else None
        yield from facts(
            status=_STATUS.get(status or "", self._status),
            participant=f"{orchestrator}:orchestrator" if orchestrator else None,
            exit_status=None if status in (None, "pending", "running") else status,
            exit_error=error,
        )


def _in_turn(turn: int, name: str) -> str:
    return f"turn_{turn}.{name}"


def _folders(path: Path) -> Iterator[Path]:
    """The sessions' folders at ``path``."""
    if _is_session(path):
        yield path
        return
    for subfolder in _SUBFOLDERS:
        folder = path / subfolder
        below = sorted(child for child in folder.iterdir() if _is_session(child)) if folder.is_dir() else []
        if below:
            yield from below
            return


def _is_session(folder: Path) -> bool:
    if not (folder / "meta.json").is_file():
        return False
    meta, _ = _load(folder)
    return meta.keys() >= _KEYS or bool(_turns(folder))


def _turns(folder: Path) -> list[tuple[int, Path]]:
    turns_folder = folder / "turns"
    files = turns_folder.iterdir() if turns_folder.is_dir() else ()
    turns = ((int(match[1]), file) for file in files if (match := _TURN.fullmatch(file.name)))
    # only the items of ``codex exec --json``; another agent's turn is in the messages
    return [(turn, file) for turn, file in turns if codex_exec.detect(read_head(file))]


def _load(folder: Path) -> tuple[dict[str, Any], Damage | None]:
    value, damage = load_beside(folder / "meta.json", "meta.json")
    return coerce.mapping(value), damage
