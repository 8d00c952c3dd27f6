"""Reads mini-swe-agent's runs: ``*.traj.json`` of versions 1 and 2, and the bare lists of messages of earlier
versions.

A file is written again after every step. ``extra.response`` repeats an answer as the provider sent it: only
the answer's id, time and token counts are read from it. Templates and tracebacks are left out.
"""

from __future__ import annotations

import math
import posixpath
from collections import deque
from collections.abc import Iterator
from typing import Any

from gittraj.formats.base import coerce, document
from gittraj.formats.base.document import peek
from gittraj.formats.base.outcomes import Refusal, printed_commits, ruling
from gittraj.formats.base.position import facts
from gittraj.formats.openai import completion
from gittraj.formats.swe import ending, protocol, task
from gittraj.formats.swe.protocol import answer
from gittraj.model.session_items import Entry, Fact, Item, Spent, TurnEnd
from gittraj.model.values import Message, NoteEvent, Prompt, Thinking, ToolCall, ToolResult, Usage

name = "mini-swe-agent"
agent = "mini-swe-agent"

_INFO = {"exit_status", "submission", "model_stats", "mini_version"}
_SUBMITTED = "Submitted"
_TYPED = ("Interrupted by user: ", "The user added a new task: ")
_NOTES = ("Interrupted by user: Temporary interruption caught.", "Switched to human mode.")


def detect(head: bytes) -> bool:
    value = peek(head)
    if isinstance(value, list):
        messages = coerce.objects(value)
        return bool(messages) and "role" in messages[0] and protocol.is_run(messages)
    run = coerce.mapping(value)
    if "trajectory_format" in run:
        return coerce.string(run["trajectory_format"]).startswith("mini-swe-agent")
    if run.keys() & {"trajectory", "history", "schema_version"} or not isinstance(run.get("info"), dict):
        return False
    if "messages" not in run:  # the head ends inside ``info``
        return bool(_INFO & run["info"].keys())
    messages = coerce.objects(run["messages"])
    return not messages or ("role" in messages[0] and "content" in messages[0])


@document.reader
def read(value: Any, session: str | None, end: int) -> Iterator[Item]:
    """Yield the items of a run. ``session`` is the stem of the file's name: the session's id, if the stem has
    the form of a run's name."""
    if isinstance(value, dict | list):
        yield from _Reading(value, session, end).items()


class _Reading(document.Reading):
    def __init__(self, run: dict[str, Any] | list[Any], stem: str | None, end: int) -> None:
        super().__init__(end)
        self._run = coerce.mapping(run)
        self._info = coerce.mapping(self._run.get("info"))
        self._config = coerce.mapping(self._info.get("config"))
        self._messages = coerce.objects(run if isinstance(run, list) else run.get("messages"))
        self._stem = stem
        self._model = coerce.text(coerce.at(self._config, "model", "model_name"))
        self._cwd, is_local = _working_folder(self._config)
        self._folder = self._cwd if is_local else None
        self._task: str | None = None
        self._pending: deque[tuple[str, str | None]] = deque()  # calls without a result: id, command
        self._last_text: str | None = None  # of the message that ended the run
        self._spent: dict[str, Usage] = {}
        self._costs: dict[str, float] = {}
        self._ts: str | None = None

    def items(self) -> Iterator[Item]:
        entries = [e for n, message in enumerate(self._messages) for e in self._message(n, message)]
        last = self._ending()
        yield from self._facts(entries)
        yield from last.facts()
        yield from ending.credit(entries, last.submission)
        yield from last.entries(self._end, ts=self._ts)
        costs = self._costs if self._costs_add_up() else {}
        for response, usage in self._spent.items():
            yield Spent(response=response, usage=usage, cost=costs.get(response))
        if last.status:
            yield TurnEnd(end=self._end)

    # ------------------------------------------------------------ the run as a whole

    def _facts(self, entries: list[Entry]) -> Iterator[Fact]:
        instance = coerce.text(self._run.get("instance_id"))
        run_name = task.parse(self._stem, instance)
        stats = coerce.mapping(self._info.get("model_stats"))
        first = next((entry.event.ts for entry in entries if entry.event.ts), None)
        shape_id = coerce.shape_id(name, [[instance], *completion.opening(self._messages)])
        yield from facts(
            session=self._stem if run_name else shape_id,
            solve=run_name.get("solve"),
            run=run_name.get("run"),
            instance=instance,
            agent_version=coerce.text(self._info.get("mini_version")),
            model=self._model,
            folder=self._folder,
            container_folder=None if self._folder else self._cwd,
            started_at=first or run_name.get("time"),
            title=task.title(self._task or ""),
            messages=len(self._messages),
            api_calls=coerce.number(stats.get("api_calls")),
            cost_usd=None if self._costs_add_up() else coerce.cost(stats.get("instance_cost")),
        )

    def _costs_add_up(self) -> bool:
        """Whether the calls' own costs add up to the run's total; otherwise only the total is used."""
        total = coerce.cost(coerce.at(self._info, "model_stats", "instance_cost"))
        summed = math.fsum(self._costs.values())
        return bool(self._costs) and (total is None or math.isclose(summed, total, abs_tol=1e-12))

    def _ending(self) -> ending.Ending:
        last = self._messages[-1] if self._messages else {}
        extra = coerce.mapping(last.get("extra")) if last.get("role") == "exit" else {}
        fields = extra | {key: value for key, value in self._info.items() if value is not None}
        status = coerce.text(fields.get("exit_status"))
        # a bare list of messages ended with a submission if its last command submits
        submitted = status is None and not self._info and self._last_text is not None
        failed = status not in (None, _SUBMITTED)
        return ending.Ending(
            exit_status=_SUBMITTED if submitted else status,
            submission=coerce.text(fields.get("submission")) or (self._last_text if submitted else None),
            error=coerce.text(fields.get("exception_str")) or (self._last_text if failed else None),
        )

    # ------------------------------------------------------------ messages

    def _message(self, number: int, message: dict[str, Any]) -> Iterator[Entry]:
        extra = coerce.mapping(message.get("extra"))
        response = coerce.mapping(extra.get("response")) or message
        stamps = (extra.get("timestamp"), response.get("created"), response.get("created_at"))
        ts = next((time for stamp in stamps if (time := coerce.stamp(stamp))), None)
        self._ts = ts or self._ts
        role = message.get("role") or message.get("type")
        if completion.is_answer(message):
            yield from self._answer(number, message, ts)
        elif role in ("tool", "function_call_output"):
            call_id = coerce.first(message, "tool_call_id", "call_id")
            content = message.get("content", message.get("output"))
            yield self._result(f"m{number}:0", ts, completion.text(content)[0], extra, call_id)
        elif role == "user":
            yield from self._user(number, message, ts)

    def _answer(self, number: int, message: dict[str, Any], ts: str | None) -> Iterator[Entry]:
        reply = answer(message)
        response = reply.response or f"m{number}"
        cost = coerce.cost(coerce.at(message, "extra", "cost"))
        common: dict[str, Any] = {"ts": ts, "model": self._model or reply.model, "response": response}
        self._pending.clear()
        self._spend(response, reply.usage, cost)
        ordinal = 0
        for is_thought, text in reply.texts:
            kind = Thinking if is_thought else Message
            yield self._entry(kind(id=f"m{number}:{ordinal}", **common, content=text))
            ordinal += 1
        for call in reply.calls:
            yield self._call(f"m{number}:{ordinal}", call, common)
            ordinal += 1
        if not ordinal and (reply.usage is not None or cost is not None):  # the cost needs an event
            yield self._entry(Message(id=f"m{number}:0", **common))

    def _spend(self, response: str, usage: Usage | None, cost: float | None) -> None:
        if usage is not None or cost is not None:
            self._spent[response] = usage or Usage()
        if cost is not None:
            self._costs[response] = self._costs.get(response, 0.0) + cost

    def _call(self, event_id: str, call: completion.Call, common: dict[str, Any]) -> Entry:
        call_id = call.id or event_id
        event = ToolCall(id=event_id, **common, name=call.name, arguments=call.arguments, call_id=call_id)
        self._pending.append((call_id, call.command))
        return self._entry(event, command=call.command, folder=self._folder)

    def _result(
        self, event_id: str, ts: str | None, text: str, extra: dict[str, Any], call_id: str | None = None
    ) -> Entry:
        """Return the result of the call ``call_id``; if that is None, of the first call without a result."""
        call_id, command = self._take_pending(call_id)
        observation = protocol.observation(text)
        raw, failure = extra.get("raw_output"), coerce.text(extra.get("exception_info"))
        content = (raw or failure or "") if isinstance(raw, str) else observation.text
        code = coerce.number(extra.get("returncode"))
        code = observation.returncode if code is None else code
        if failure and self._is_submission(command):
            failure = code = None  # the command ended the run, which mini-swe-agent calls "not executed"
        event = ToolResult(
            id=event_id,
            ts=ts,
            content=content,
            call_id=call_id,
            exit_code=code,
            is_error=code not in (None, 0) or failure is not None or observation.timed_out,
            truncated=observation.truncated and not isinstance(raw, str),
        )
        return self._entry(event, commits=printed_commits(content))

    def _take_pending(self, call_id: str | None) -> tuple[str | None, str | None]:
        """Remove a call, by default the first, from the pending ones. Return its id and its command."""
        if call_id is None and self._pending:
            call_id = self._pending[0][0]
        command = dict(self._pending).get(call_id or "")
        self._pending = deque(waiting for waiting in self._pending if waiting[0] != call_id)
        return call_id, command

    def _is_submission(self, command: str | None) -> bool:
        return protocol.submits(command) and self._ending().exit_status == _SUBMITTED

    def _user(self, number: int, message: dict[str, Any], ts: str | None) -> Iterator[Entry]:
        """Yield the task from the first message of the role ``user``; from later ones, observations, commands
        and messages of the user, and messages of mini-swe-agent."""
        text, artifact = completion.text(message.get("content"))
        extra = coerce.mapping(message.get("extra"))
        common: dict[str, Any] = {"id": f"m{number}:0", "ts": ts}
        if self._task is None:
            self._task = task.task(text, coerce.at(self._config, "agent", "instance_template"))
            yield self._entry(Prompt(**common, content=self._task, artifact=artifact))
        elif human_calls := answer({**message, "content": ""}).calls:
            for ordinal, call in enumerate(human_calls):
                yield self._call(f"m{number}:{ordinal}", call, {"ts": ts, "tags": ("human",)})
        elif extra.get("interrupt_type") == "FormatError" or self._is_malformed(text):
            self._pending.clear()
            yield self._entry(NoteEvent(**common, content=text, kind="error", tags=("malformed",)))
        elif text in _NOTES:
            yield self._entry(NoteEvent(**common, content=text, kind="note"))
        elif typed := next((text[len(start) :] for start in _TYPED if text.startswith(start)), None):
            yield self._entry(Prompt(**common, content=typed))
        else:
            yield from self._observed(number, ts, text, extra)

    def _observed(self, number: int, ts: str | None, text: str, extra: dict[str, Any]) -> Iterator[Entry]:
        """Yield the result of a call, or the reason why the run stopped."""
        if (reason := protocol.rejected(text)) is not None:
            yield from self._rejected(number, ts, text, reason)
        elif "returncode" in extra or protocol.is_observation(text):
            yield self._result(f"m{number}:0", ts, text, extra)
        elif self._is_last(number):
            self._last_text = text
        elif self._pending:
            yield self._result(f"m{number}:0", ts, text, extra)
        elif text:
            yield self._entry(NoteEvent(id=f"m{number}:0", ts=ts, content=text, kind="error"))

    def _is_malformed(self, text: str) -> bool:
        templates = (coerce.mapping(self._config.get(key)).get("format_error_template")
                     for key in ("agent", "model"))  # fmt: skip
        return any(protocol.is_malformed(text, template) for template in templates)

    def _is_last(self, number: int) -> bool:
        """Whether this message has the submission, as in version 1, or the text of what stopped the run."""
        if number + 1 < len(self._messages):
            return False
        submits = not self._info and bool(self._pending) and protocol.submits(self._pending[0][1])
        return submits or coerce.text(self._info.get("exit_status")) is not None

    def _rejected(self, number: int, ts: str | None, text: str, reason: str) -> Iterator[Entry]:
        waiting = list(self._pending)
        for ordinal, (call_id, _) in enumerate(waiting):
            event = ToolResult(id=f"m{number}:{ordinal}", ts=ts, content=text, call_id=call_id, is_error=True)
            yield self._entry(event)
        self._pending.clear()
        commands = "; ".join(command for _, command in waiting if command)
        yield self._entry(ruling(Refusal("bash", commands, reason), id=f"m{number}:{len(waiting)}", ts=ts))


def _working_folder(config: dict[str, Any]) -> tuple[str | None, bool]:
    """The folder in which commands run, and whether it is on the agent's machine, not in a container."""
    kind = coerce.text(config.get("environment_type")) or "local"
    folder = coerce.text(coerce.at(config, "environment", "cwd"))
    return folder if folder and posixpath.isabs(folder) else None, "local" in kind.lower()
