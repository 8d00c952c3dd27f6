"""Reads OpenHands' events: a list of actions and observations, which versions 0.x of OpenHands export.

An observation names the action that caused it. The tokens of a model call are differences of running totals.
Recalled knowledge and changes of the program's state are left out.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from gittraj.formats.base import coerce, document
from gittraj.formats.base.document import peek
from gittraj.formats.base.edits import editor, written
from gittraj.formats.base.outcomes import Call, Outcome, Refusal, printed_commits, ruling, tool_result
from gittraj.formats.openai import completion
from gittraj.formats.openhands.cost import Costs
from gittraj.model.session_items import Edit, Entry, Fact, Item, TurnEnd
from gittraj.model.values import Artifact, Foreign, Message, NoteEvent, Prompt, Thinking

name = "openhands"
agent = "openhands"

_SOURCES = ("agent", "user", "environment")
_SKIPPED = frozenset(
    (
        *("system", "recall", "change_agent_state", "agent_state_changed", "null", "condensation_request"),
        *("think", "pause", "resume", "stop", "start", "loop_recovery"),
    )
)
_CALLS = frozenset(
    (
        *("run", "run_ipython", "read", "write", "edit", "browse", "browse_interactive"),
        *("call_tool_mcp", "mcp", "delegate", "task_tracking"),
    )
)


def detect(head: bytes) -> bool:
    value = peek(head)
    return isinstance(value, list) and bool(value) and is_event(value[0])


def is_event(value: Any) -> bool:
    event = coerce.mapping(value)
    has_fields = type(event.get("id")) is int and "timestamp" in event and event.get("source") in _SOURCES
    return has_fields and ("action" in event or "observation" in event)


@document.reader
def read(value: Any, _session: str | None, end: int) -> Iterator[Item]:
    """Yield the items of an exported session. The session's id is a hash of its shape."""
    if events := coerce.objects(value):
        yield from items(events, session=None, end=end)


def items(events: list[dict[str, Any]], *, session: str | None, end: int) -> Iterator[Item]:
    """Yield the items of a session's events; ``session`` is the name of the session's folder, if any."""
    shape_id = coerce.shape_id(name, map(_shape, events[:2]))
    yield Fact(name="session", value=session or shape_id)
    yield from _Reading(end).items(events)


def _shape(event: dict[str, Any]) -> list[coerce.Part]:
    source = event.get("source")
    return [source if isinstance(source, str) else None, coerce.stamp(event.get("timestamp"))]


class _Reading(document.Reading):
    def __init__(self, end: int) -> None:
        super().__init__(end)
        self._calls: dict[int | None, tuple[str, Refusal]] = {}
        """By the action's id: the call's id, and the refusal to report if the user rejects the call."""
        self._costs = Costs()
        self._answered: set[str] = set()  # the responses whose thinking was yielded

    def items(self, events: list[dict[str, Any]]) -> Iterator[Item]:
        seen: set[int] = set()
        for number, event in enumerate(events):
            event_id = coerce.number(event.get("id"))
            if event_id is None:
                yield from self._event(f"n{number}", event)
            elif event_id not in seen:
                seen.add(event_id)
                yield from self._event(str(event_id), event)
        yield from self._costs.spent()
        if self._costs.total is not None:
            yield Fact(name="cost_usd", value=self._costs.total)

    def _event(self, record_id: str, event: dict[str, Any]) -> Iterator[Item]:
        if "started_at" not in self._known:
            yield from self._learn(started_at=coerce.stamp(event.get("timestamp")))
        model_response = coerce.mapping(coerce.at(event, "tool_call_metadata", "model_response"))
        if (kind := coerce.text(event.get("action"))) is not None:
            args = coerce.mapping(event.get("args"))
            yield from self._learn(agent_version=coerce.text(args.get("openhands_version")))
            yield from self._learn(model=coerce.text(model_response.get("model")))
            entries = list(self._action(record_id, event, args))
            response = next((e.event.response for e in entries if e.event.response), None)
            self._costs.add_totals(event.get("llm_metrics"), response, model_response.get("usage"))
            yield from entries
            if kind in ("finish", "reject"):
                yield from self._learn(status=_status(kind, args))
            if kind in ("finish", "reject") or args.get("wait_for_response") is True:
                yield TurnEnd(end=self._end)
        else:
            extras = coerce.mapping(event.get("extras"))
            folder = coerce.text(coerce.at(extras, "metadata", "working_dir"))
            yield from self._learn(folder=folder or coerce.text(extras.get("working_dir")))
            self._costs.add_totals(event.get("llm_metrics"), None, None)
            yield from self._observation(record_id, event, extras)

    # ------------------------------------------------------------ actions

    def _action(self, record_id: str, event: dict[str, Any], args: dict[str, Any]) -> Iterator[Entry]:
        kind = coerce.string(event.get("action"))
        ts = coerce.stamp(event.get("timestamp"))
        if kind == "message" and event.get("source") == "user":
            text, artifact = completion.text(_content(event, args))
            yield self._entry(Prompt(id=f"{record_id}:0", ts=ts, content=text, artifact=artifact))
            return
        if kind == "condensation":
            text = coerce.text(args.get("summary")) or "Context condensed"
            yield self._entry(NoteEvent(id=f"{record_id}:0", ts=ts, content=text, kind="compaction"))
            return
        if kind == "think" or kind not in _SKIPPED:
            yield from self._model_action(record_id, event, args)

    def _model_action(self, record_id: str, event: dict[str, Any], args: dict[str, Any]) -> Iterator[Entry]:
        """Yield the thinking, and the message or call, of an action that the model chose."""
        kind = coerce.string(event.get("action"))
        raw = coerce.mapping(coerce.at(event, "tool_call_metadata", "model_response"))
        is_model_call = bool(raw) or isinstance(event.get("llm_metrics"), dict)
        common: dict[str, Any] = {"ts": coerce.stamp(event.get("timestamp"))}
        common["model"] = coerce.text(raw.get("model")) or self._known.get("model")
        common["response"] = (coerce.text(raw.get("id")) or f"r{record_id}") if is_model_call else None
        ordinal = 0
        for text in self._thoughts(args, raw, common["response"]):
            yield self._entry(Thinking(id=f"{record_id}:{ordinal}", **common, content=text))
            ordinal += 1
        event_id = f"{record_id}:{ordinal}"
        if kind in ("message", "finish", "reject"):
            yield self._entry(Message(id=event_id, **common, content=_message_text(event, args)))
        elif kind in _CALLS:
            yield self._call(event_id, event, args, common)
        elif kind != "think":
            text = coerce.string(event.get("message"))
            yield self._entry(Foreign(id=event_id, **common, type=f"action:{kind}", content=text))

    def _thoughts(self, args: dict[str, Any], raw: dict[str, Any], response: str | None) -> Iterator[str]:
        """Yield the response's thinking, if this is the first of its actions; then this action's own."""
        if response and response not in self._answered:
            self._answered.add(response)
            for choice in coerce.objects(raw.get("choices"))[:1]:
                if thought := completion.reasoning(coerce.mapping(choice.get("message"))):
                    yield thought
        if thought := coerce.text(args.get("thought")):
            yield thought

    def _call(
        self, event_id: str, event: dict[str, Any], args: dict[str, Any], common: dict[str, Any]
    ) -> Entry:
        metadata = coerce.mapping(event.get("tool_call_metadata"))
        tool = coerce.either(metadata.get("function_name"), args.get("name")) or str(event["action"])
        call_id = coerce.text(metadata.get("tool_call_id")) or event_id
        arguments = {
            key: value for key, value in args.items() if key not in _BOOKKEEPING and value is not None
        }
        self._calls[coerce.number(event.get("id"))] = (call_id, Refusal(tool, arguments))
        path = coerce.text(args.get("path"))
        command = coerce.text(args.get("command")) if event["action"] == "run" else None
        folder = coerce.text(args.get("cwd")) or self._known.get("folder")
        edits = _edits(str(event["action"]), args)
        call = Call(tool, arguments, command, folder, edits, (path,) if path else ())
        return self._entry(call.event(call_id, id=event_id, **common), **call.known)

    # ------------------------------------------------------------ observations

    def _observation(self, record_id: str, event: dict[str, Any], extras: dict[str, Any]) -> Iterator[Item]:
        kind = coerce.string(event.get("observation"))
        ts = coerce.stamp(event.get("timestamp"))
        if kind == "agent_state_changed" and extras.get("agent_state") == "error":
            yield from self._learn(status="failed")
            if reason := coerce.text(extras.get("reason")):
                yield self._entry(NoteEvent(id=f"{record_id}:0", ts=ts, content=reason, kind="error"))
        elif kind in _SKIPPED:
            return
        elif call := self._calls.pop(coerce.number(event.get("cause")), None):
            outcome = _outcome(event, extras)
            result = tool_result(outcome, call_id=call[0], id=f"{record_id}:0", ts=ts)
            yield self._entry(result, **outcome.known)
            if kind == "user_rejected":
                yield self._entry(ruling(replace(call[1], words=outcome.text), id=f"{record_id}:1", ts=ts))
        elif kind == "error":
            text = _observed_text(event)[0]
            yield self._entry(NoteEvent(id=f"{record_id}:0", ts=ts, content=text, kind="error"))
        elif text := _observed_text(event)[0]:
            yield self._entry(Foreign(id=f"{record_id}:0", ts=ts, type=f"observation:{kind}", content=text))


def _observed_text(event: dict[str, Any]) -> tuple[str, Artifact | None]:
    """The text of an observation, and the first image in it."""
    text, artifact = completion.text(event.get("content"))
    if not text and event.get("observation") in ("error", "user_rejected"):
        text = coerce.string(event.get("message"))
    return text, artifact


def _outcome(event: dict[str, Any], extras: dict[str, Any]) -> Outcome:
    """The outcome of a call, from the observation that the call caused."""
    text, artifact = _observed_text(event)
    code = _exit_code(extras)
    failed = event.get("success") is False or event.get("observation") in ("error", "user_rejected")
    failed = failed or code not in (None, 0)
    return Outcome(
        text=text,
        exit_code=code,
        is_error=failed,
        artifact=artifact,
        commits=printed_commits(text),
        edits=() if failed else _written(extras),
    )


_BOOKKEEPING = frozenset(
    (
        *("thought", "blocking", "hidden", "confirmation_state", "security_risk", "is_static", "is_input"),
        *("impl_source", "wait_for_response", "kernel_init_code", "include_extra", "cwd"),
    )
)
"""Arguments that OpenHands, not the model, adds to an action."""


def _content(event: dict[str, Any], args: dict[str, Any]) -> Any:
    text = coerce.either(args.get("content"), event.get("message")) or ""
    urls = coerce.sequence(args.get("image_urls"))
    return [{"text": text}, *({"type": "image_url", "image_url": {"url": url}} for url in urls)]


def _message_text(event: dict[str, Any], args: dict[str, Any]) -> str:
    outputs = coerce.mapping(args.get("outputs"))
    texts = (args.get("final_thought"), args.get("content"), outputs.get("content"), outputs.get("reason"))
    return coerce.either(*texts, event.get("message")) or ""


def _status(kind: str, args: dict[str, Any]) -> str:
    if kind == "reject":
        return "abandoned"
    return "failed" if args.get("task_completed") in (False, "false") else "completed"


def _edits(kind: str, args: dict[str, Any]) -> tuple[Edit, ...]:
    """The edits that an action makes, from its arguments."""
    path = coerce.text(args.get("path"))
    if kind == "edit" and coerce.text(args.get("command")):
        return editor(args)
    if kind not in ("write", "edit") or path is None:
        return ()
    is_whole_file = kind == "write" and args.get("start") in (None, 0) and args.get("end") in (None, -1)
    edits = written(path, args.get("content"))
    return edits if is_whole_file else tuple(replace(edit, whole=None) for edit in edits)


def _written(extras: dict[str, Any]) -> tuple[Edit, ...]:
    """The edit that an observation reports, with the file's whole new text."""
    path, whole = coerce.text(extras.get("path")), extras.get("new_content")
    if path is None or not isinstance(whole, str):
        return ()
    return (Edit(path=path, kind="add" if extras.get("prev_exist") is False else "update", whole=whole),)


def _exit_code(extras: dict[str, Any]) -> int | None:
    """The exit code of a command; None for -1, which means that it is still running."""
    code = coerce.number(coerce.at(extras, "metadata", "exit_code"))
    code = coerce.number(extras.get("exit_code")) if code is None else code
    return code if code != -1 else None
