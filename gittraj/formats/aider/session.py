"""Reads one session of Aider's history, line by line.

The human's lines begin with ``#### ``, Aider's own with ``> ``, and both end in two spaces; all other lines
are the model's (aider's io.py, ``append_chat_history``). If Aider's text has several lines, only the first
has the prefix and only the last has the spaces. The model's text may look like either, and output that is
sent to the model looks like a prompt. Commits that Aider makes become calls.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, BinaryIO, Literal

from gittraj.formats.aider import blocks, usage
from gittraj.formats.base.document import Reading
from gittraj.formats.base.outcomes import Call
from gittraj.model.session_items import Edit, Entry, Item, Spent
from gittraj.model.values import AnyEvent, Json, Message, NoteEvent, Prompt, ToolCall, ToolResult, Usage

LONGEST = 1024 * 1024
"""The maximum number of bytes of one line; a longer one is read as several."""
_COMMIT = re.compile(r"Commit ([0-9a-f]{7,64}) ")
_APPLIED = "Applied edit to "
_ERROR = re.compile(
    r"Unexpected error: |litellm\.|# \d+ SEARCH/REPLACE blocks? failed to match|"
    r"The LLM did not conform|Malformed |Model \S+ has hit a token limit|Retrying in "
)
_CHECK = re.compile(r"# Fix any errors below|# \d+ SEARCH/REPLACE blocks? failed")
_NOISE = re.compile(
    r"\Z|(?:\S*/)?aider(?: |\Z)|Git repo: |Git working dir: |Repo-map: |Weak model: |Editor model: |"
    r"Use /help |Added \S+ to the chat|You can use /undo |\^C again to exit|https://aider\.chat/"
)
_SENDS_OUTPUT = re.compile(
    r"(?:(?:Attempt to fix|Fix) (?:lint|test) errors|[^?]{0,80}output to the chat\?).*\b[yY](?:es)?\Z"
)
_REENTERED = re.compile(r"# Fix any errors below|# \d+ SEARCH/REPLACE blocks? failed|I ran this command:")
_COMMAND = re.compile(r"/[a-z][a-z-]*(?:\s|\Z)|!")
_REQUEST = re.compile(r"/(?:ask|code|architect|context|help)\s+(?=\S)")

_Mode = Literal["start", "human", "aider", "aider_text", "model"]
_Kind = Literal["note", "error", "verification"]


@dataclass(slots=True)
class _Block:
    """Lines that belong together; the first is line ``number`` of the session."""

    number: int
    lines: list[str] = field(default_factory=list)
    kind: _Kind = "note"

    @property
    def text(self) -> str:
        return "\n".join(self.lines).strip()


class Session(Reading):
    """A session that is being read. ``folder`` is the session's folder, if it is known."""

    def __init__(self, folder: str | None) -> None:
        super().__init__(0)
        self._folder = folder
        self._mode: _Mode = "start"
        self._blank = True
        self._ended = False  # whether the last line may end a text of several lines; the next line decides
        self._block: _Block | None = None
        self._output: _Block | None = None
        """Aider's other output: of a command, or about a failure."""
        self._after = 0  # the end of the current line
        self._response: str | None = None
        self._spent = Usage()
        self._cost: float | None = None
        self._pending: dict[str, str] = {}
        """The requested edits without a result so far: the id of the call, by path."""
        self._repeated: str | None = None  # a question that Aider may print again
        self._sends_output = False  # whether the next prompt is output that Aider sends
        self._is_humans_commit = False  # whether the next commit has the human's own changes

    def items(self, stream: BinaryIO, start: int, ends: re.Pattern[bytes]) -> Iterator[Item]:
        self._end = start
        number = 0
        while (raw := stream.readline(LONGEST)) and not ends.match(raw):
            if not raw.endswith(b"\n") and len(raw) < LONGEST:
                break  # still being written
            number += 1
            line = raw.decode("utf-8", "replace").rstrip("\r\n").replace("\0", "")
            self._after = self._end + len(raw)
            if self._mode == "model" and not line.startswith(("#", ">")):
                self._add(line)  # most lines are the model's
            else:
                yield from self._line(line, number)
            self._end = self._after
            self._blank = not line.strip()
        yield from self._close()
        yield from self._yield_output()

    # ------------------------------------------------------------ lines

    def _line(self, line: str, number: int) -> Iterator[Item]:
        yield from self._end_text(line)
        match self._mode_of(line):
            case "human":
                if self._mode != "human" or self._blank:
                    yield from self._open("human", number)
                self._add(line[5:-2])
            case "aider":
                yield from self._open("aider", number)
                self._add(line[2:].rstrip())
                self._end = self._after
                yield from self._close()
            case "aider_text" if self._mode == "aider_text":
                self._add(line.rstrip())
                self._ended = line.endswith("  ") and bool(line.strip())
            case "aider_text":
                yield from self._open("aider_text", number)
                self._add(line[2:])
            case "model":
                if self._mode != "model":
                    yield from self._open("model", number)
                self._add(line)

    def _end_text(self, line: str) -> Iterator[Item]:
        """Close a text of several lines by Aider if the last line may end it and this line is empty or
        starts another text."""
        if self._ended and (not line.strip() or line.startswith(("> ", "####"))):
            yield from self._close()
            self._mode, self._ended = "aider", False

    def _mode_of(self, line: str) -> _Mode | None:
        """The writer of a line; None for an empty line between two texts."""
        marked = line.endswith("  ")
        if marked and line.startswith("#### "):
            return "human"
        if marked and line.startswith("> "):
            return "aider"
        if self._mode == "aider_text" or (line.startswith("> ") and self._is_printed(line[2:])):
            return "aider_text"
        return "model" if self._mode == "model" or line.strip() else None

    def _is_printed(self, text: str) -> bool:
        """Whether a line that does not end like Aider's lines begins a text of several lines by Aider. The
        model's text would come after an empty line."""
        follows = self._mode in ("human", "aider") and not self._blank
        return follows or self._mode == "start" or bool(_COMMIT.match(text) or _ERROR.match(text))

    def _open(self, mode: _Mode, number: int) -> Iterator[Item]:
        yield from self._close()
        self._mode, self._block, self._ended = mode, _Block(number), False

    def _add(self, line: str) -> None:
        if self._block:
            self._block.lines.append(line)

    def _close(self) -> Iterator[Item]:
        block, self._block = self._block, None
        if block is None:
            return
        if self._mode in ("aider", "aider_text"):
            yield from self._printed(block)
        elif block.text:
            yield from self._yield_output()
            yield from self._typed(block) if self._mode == "human" else self._reply(block)

    # ------------------------------------------------------------ the events of blocks

    def _entry(self, event: AnyEvent, **known: Any) -> Entry:
        return super()._entry(event, **{"folder": self._folder} | known)

    def _typed(self, block: _Block) -> Iterator[Item]:
        yield from self._reject_pending()
        event_id, text = f"n{block.number}:0", block.text
        repeated, self._repeated = self._repeated, None
        sends_output, self._sends_output = self._sends_output, False
        if text == repeated:
            return  # the question of a command is printed again when it is sent to the model
        if request := _REQUEST.match(text):
            self._repeated = text[request.end() :].strip()
        elif _COMMAND.match(text):
            yield self._entry(NoteEvent(id=event_id, content=text, kind="note", tags=("command",)))
            return
        elif sends_output or _REENTERED.match(text):
            yield self._entry(NoteEvent(id=event_id, content=text, kind="verification", tags=("output",)))
            return
        yield self._entry(Prompt(id=event_id, content=text))

    def _reply(self, block: _Block) -> Iterator[Item]:
        yield from self._reject_pending()
        self._sends_output = False
        self._response, self._spent, self._cost = f"n{block.number}", Usage(), None
        reply = self._response_fields()
        yield self._entry(Message(id=f"n{block.number}:0", **reply, content=block.text))
        for ordinal, edit in enumerate(blocks.edits("\n".join(block.lines)), 1):
            event_id = f"n{block.number}:{ordinal}"
            yield self._edit(event_id, edit, reply)
            self._pending[edit.path] = event_id

    def _response_fields(self) -> dict[str, Any]:
        return {"model": self._known.get("model"), "response": self._response}

    def _edit(self, event_id: str, edit: Edit, reply: dict[str, Any]) -> Entry:
        call = Call("edit", {"path": edit.path}, None, self._folder, (edit,), (edit.path,))
        return self._entry(call.event(event_id, id=event_id, **reply), **call.known)

    def _reject_pending(self) -> Iterator[Item]:
        """Report the pending edits as not applied: Aider prints each edit that it applied."""
        pending, self._pending = self._pending, {}
        for call_id in pending.values():
            event = ToolResult(id=f"{call_id}:result", content="not applied", call_id=call_id, is_error=True)
            yield self._entry(event)

    # ------------------------------------------------------------ Aider's output

    def _printed(self, block: _Block) -> Iterator[Item]:
        text = block.text
        for pattern, handle in _PRINTED:
            if match := pattern.match(text):
                yield from handle(self, block, text, match)
                return
        if self._output or not _NOISE.match(text):
            yield from self._collect_output(block, text)

    def _expect_humans_commit(self, _block: _Block, _text: str, _match: re.Match[str]) -> Iterator[Item]:
        self._is_humans_commit = True
        yield from ()

    def _interrupted(self, block: _Block, _text: str, _match: re.Match[str]) -> Iterator[Item]:
        yield from self._yield_output()
        event_id = f"n{block.number}:0"
        yield self._entry(NoteEvent(id=event_id, content="Interrupted", kind="note", tags=("interrupted",)))

    def _learn_facts(self, _block: _Block, _text: str, match: re.Match[str]) -> Iterator[Item]:
        yield from self._learn(**match.groupdict())

    def _collect_output(self, block: _Block, text: str) -> Iterator[Item]:
        """Collect output; a failure or a check begins a new event."""
        self._sends_output = self._sends_output or _SENDS_OUTPUT.match(text) is not None
        failed, checked = _ERROR.match(text), _CHECK.match(text)
        if failed or checked:
            yield from self._yield_output()
        if self._output is None:
            kind: _Kind = "error" if failed else "verification" if checked else "note"
            self._output = _Block(block.number, kind=kind)
        if not _NOISE.match(text) or not text:
            self._output.lines.append(text)

    def _yield_output(self) -> Iterator[Item]:
        output, self._output = self._output, None
        if output and output.text:
            event_id = f"n{output.number}:0"
            yield self._entry(NoteEvent(id=event_id, content=output.text, kind=output.kind, tags=("output",)))

    def _tokens(self, block: _Block, text: str, _match: re.Match[str]) -> Iterator[Item]:
        yield from self._yield_output()
        self._spent += usage.usage(text)
        if (cost := usage.cost(text)) is not None:
            self._cost = (self._cost or 0.0) + cost
        if self._response is None:  # the model wrote nothing
            self._response = f"n{block.number}"
            event_id = f"n{block.number}:0"
            yield self._entry(NoteEvent(**self._response_fields(), id=event_id, content=text, kind="note"))
        yield Spent(response=self._response, usage=self._spent, cost=self._cost, beside=True)

    def _applied(self, block: _Block, text: str, _match: re.Match[str]) -> Iterator[Item]:
        yield from self._yield_output()
        path = text[len(_APPLIED) :].strip()
        call_id = self._pending.pop(path, None)
        if call_id is None:
            call_id = f"n{block.number}:0"
            yield self._edit(call_id, Edit(path=path), self._response_fields())
        yield self._entry(ToolResult(id=f"{call_id}:result", content=text, call_id=call_id))

    def _committed(self, block: _Block, text: str, match: re.Match[str]) -> Iterator[Item]:
        yield from self._yield_output()
        commit = match[1]
        event_id = f"n{block.number}:0"
        arguments: Json = {"subject": text.partition("\n")[0].partition(commit)[2].strip()}
        is_humans, self._is_humans_commit = self._is_humans_commit, False
        call = ToolCall(id=event_id, name="commit", arguments=arguments, call_id=event_id)
        yield self._entry(call, command=None if is_humans else "git commit")
        result = ToolResult(id=f"{event_id}:result", content=text, call_id=event_id)
        yield self._entry(result, commits=() if is_humans else (commit,))


_Handler = Callable[[Session, _Block, str, re.Match[str]], Iterator[Item]]
_PRINTED: tuple[tuple[re.Pattern[str], _Handler], ...] = (
    (re.compile(rf"Tokens: {usage.NUMBER} sent"), Session._tokens),
    (re.compile(re.escape(_APPLIED)), Session._applied),
    (_COMMIT, Session._committed),
    (re.compile(r"Committing .* before applying edits\.\Z"), Session._expect_humans_commit),
    (re.compile(r"\^C KeyboardInterrupt\Z"), Session._interrupted),
    (re.compile(r"Aider v(?P<agent_version>\S+)\Z"), Session._learn_facts),
    (re.compile(r"(?:Main model|Models?): (?P<model>\S+) with "), Session._learn_facts),
)
"""Handlers of Aider's output, by its beginning. Before it edits, Aider commits the human's own changes."""
