"""OpenHands' events: a list of actions and observations, as the program exports it (to version 0.x).

An observation names the action that caused it. The usage of a model call is the growth of running totals.
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
from gittraj.model.values import Foreign, Message, NoteEvent, Prompt, Thinking

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
    known = type(event.get("id")) is int and "timestamp" in event and event.get("source") in _SOURCES
    return known and ("action" in event or "observation" in event)


@document.reader
def read(value: Any, _session: str | None, end: int) -> Iterator[Item]:
    """The items of an exported session. Its id is a hash of its shape."""
    if events := coerce.objects(value):
        yield from items(events, session=None, end=end)


def items(events: list[dict[str, Any]], *, session: str | None, end: int) -> Iterator[Item]:
    """The items of a session's events; ``session`` is its id, if the program's folder has one."""
    own = coerce.shape_id(name, ([e.get("source") if isinstance(e.get("source"), str) else None,
                                 coerce.stamp(e.get("timestamp"))] for e in events[:2]))  # fmt: skip
    yield Fact(name="session", value=session or own)
    yield from _Reading(end).items(events)


class _Reading(document.Reading):
    def __init__(self, end: int) -> None:
        super().__init__(end)
        self._calls: dict[int | None, tuple[str, Refusal]] = {}
        self._costs = Costs()
        self._answered: set[str] = set()

    def items(self, events: list[dict[str, Any]]) -> Iterator[Item]:
        seen: set[int] = set()
        for number, event in enumerate(events):
            own = event.get("id")
            if type(own) is int and own in seen:
                continue
            seen |= {own} if type(own) is int else set()
            record = str(own) if type(own) is int else f"n{number}"
            yield from self._event(record, event)
        yield from self._costs.spent()
        if self._costs.total is not None:
            yield Fact(name="cost_usd", value=self._costs.total)

    def _event(self, record: str, event: dict[str, Any]) -> Iterator[Item]:
        if "started_at" not in self._known:
            yield from self._learn(started_at=coerce.stamp(event.get("timestamp")))
        called = coerce.mapping(coerce.at(event, "tool_call_metadata", "model_response"))
        if (kind := coerce.text(event.get("action"))) is not None:
            args = coerce.mapping(event.get("args"))
            yield from self._learn(agent_version=coerce.text(args.get("openhands_version")))
            yield from self._learn(model=coerce.text(called.get("model")))
            entries = list(self._action(record, event, args))
            response = next((e.event.response for e in entries if e.event.response), None)
            self._costs.add_totals(event.get("llm_metrics"), response, called.get("usage"))
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
            yield from self._observation(record, event, extras)

    # ------------------------------------------------------------ actions

    def _action(self, record: str, event: dict[str, Any], args: dict[str, Any]) -> Iterator[Entry]:
        kind = coerce.string(event.get("action"))
        ts = coerce.stamp(event.get("timestamp"))
        if kind == "message" and event.get("source") == "user":
            text, artifact = completion.text(_content(event, args))
            yield self._entry(Prompt(id=f"{record}:0", ts=ts, content=text, artifact=artifact))
            return
        if kind == "condensation":
            text = coerce.text(args.get("summary")) or "Context condensed"
            yield self._entry(NoteEvent(id=f"{record}:0", ts=ts, content=text, kind="compaction"))
            return
        if kind in _SKIPPED and kind != "think":
            return
        made = coerce.mapping(event.get("tool_call_metadata"))
        raw = coerce.mapping(made.get("model_response"))
        paid = bool(raw) or isinstance(event.get("llm_metrics"), dict)
        common: dict[str, Any] = {"ts": ts}
        common["model"] = coerce.text(raw.get("model")) or self._known.get("model")
        common["response"] = (coerce.text(raw.get("id")) or f"r{record}") if paid else None
        ordinal = 0
        for text in self._thoughts(args, raw, common["response"]):
            yield self._entry(Thinking(id=f"{record}:{ordinal}", **common, content=text))
            ordinal += 1
        event_id = f"{record}:{ordinal}"
        if kind in ("message", "finish", "reject"):
            yield self._entry(Message(id=event_id, **common, content=_spoken(event, args)))
        elif kind in _CALLS:
            yield self._call(event_id, event, args, common)
        elif kind != "think":
            text = coerce.string(event.get("message"))
            yield self._entry(Foreign(id=event_id, **common, type=f"action:{kind}", content=text))

    def _thoughts(self, args: dict[str, Any], raw: dict[str, Any], response: str | None) -> Iterator[str]:
        """The model's thinking: once per response, which may have several actions; then for this action."""
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
        made = coerce.mapping(event.get("tool_call_metadata"))
        named = coerce.either(made.get("function_name"), args.get("name")) or str(event["action"])
        call_id = coerce.text(made.get("tool_call_id")) or event_id
        arguments = {
            key: value for key, value in args.items() if key not in _BOOKKEEPING and value is not None
        }
        self._calls[coerce.number(event.get("id"))] = (call_id, Refusal(named, arguments))
        path = coerce.text(args.get("path"))
        command = coerce.text(args.get("command")) if event["action"] == "run" else None
        folder = coerce.text(args.get("cwd")) or self._known.get("folder")
        edits = _edits(str(event["action"]), args)
        call = Call(named, arguments, command, folder, edits, (path,) if path else ())
        return self._entry(call.event(call_id, id=event_id, **common), **call.known)

    # ------------------------------------------------------------ observations

    def _observation(self, record: str, event: dict[str, Any], extras: dict[str, Any]) -> Iterator[Item]:
        kind = coerce.string(event.get("observation"))
        ts = coerce.stamp(event.get("timestamp"))
        text, artifact = completion.text(event.get("content"))
        text = text or (coerce.string(event.get("message")) if kind in ("error", "user_rejected") else "")
        if kind == "agent_state_changed" and extras.get("agent_state") == "error":
            yield from self._learn(status="failed")
            if reason := coerce.text(extras.get("reason")):
                yield self._entry(NoteEvent(id=f"{record}:0", ts=ts, content=reason, kind="error"))
            return
        if kind in _SKIPPED:
            return
        if (call := self._calls.pop(coerce.number(event.get("cause")), None)) is None:
            if kind == "error":
                yield self._entry(NoteEvent(id=f"{record}:0", ts=ts, content=text, kind="error"))
            elif text:
                yield self._entry(Foreign(id=f"{record}:0", ts=ts, type=f"observation:{kind}", content=text))
            return
        code = _exit_code(extras)
        rejected = kind == "user_rejected"
        failed = event.get("success") is False or kind == "error" or rejected or code not in (None, 0)
        edits, made = () if failed else _written(extras), printed_commits(text)
        ended = Outcome(
            text=text, exit_code=code, is_error=failed, artifact=artifact, commits=made, edits=edits
        )
        yield self._entry(tool_result(ended, call_id=call[0], id=f"{record}:0", ts=ts), **ended.known)
        if rejected:
            yield self._entry(ruling(replace(call[1], words=text), id=f"{record}:1", ts=ts))


_BOOKKEEPING = frozenset(
    (
        *("thought", "blocking", "hidden", "confirmation_state", "security_risk", "is_static", "is_input"),
        *("impl_source", "wait_for_response", "kernel_init_code", "include_extra", "cwd"),
    )
)
"""Arguments that the program, not the model, adds to an action."""


def _content(event: dict[str, Any], args: dict[str, Any]) -> Any:
    text = coerce.either(args.get("content"), event.get("message")) or ""
    urls = coerce.sequence(args.get("image_urls"))
    return [{"text": text}, *({"type": "image_url", "image_url": {"url": url}} for url in urls)]


def _spoken(event: dict[str, Any], args: dict[str, Any]) -> str:
    outputs = coerce.mapping(args.get("outputs"))
    texts = (args.get("final_thought"), args.get("content"), outputs.get("content"), outputs.get("reason"))
    return next((text for value in (*texts, event.get("message")) if (text := coerce.text(value))), "")


def _status(kind: str, args: dict[str, Any]) -> str:
    if kind == "reject":
        return "abandoned"
    return "failed" if args.get("task_completed") in (False, "false") else "completed"


def _edits(kind: str, args: dict[str, Any]) -> tuple[Edit, ...]:
    """The file as an action leaves it, as far as its arguments show."""
    path = coerce.text(args.get("path"))
    if kind == "edit" and coerce.text(args.get("command")):
        return editor(args)
    if kind not in ("write", "edit") or path is None:
        return ()
    entire = kind == "write" and args.get("start") in (None, 0) and args.get("end") in (None, -1)
    edits = written(path, args.get("content"))
    return edits if entire else tuple(replace(edit, whole=None) for edit in edits)


def _written(extras: dict[str, Any]) -> tuple[Edit, ...]:
    """The whole file that was written, from an observation."""
    path, whole = coerce.text(extras.get("path")), extras.get("new_content")
    if path is None or not isinstance(whole, str):
        return ()
    return (Edit(path=path, kind="add" if extras.get("prev_exist") is False else "update", whole=whole),)


def _exit_code(extras: dict[str, Any]) -> int | None:
    """The exit code of a command; None for -1, which means that it is still running."""
    code = coerce.number(coerce.at(extras, "metadata", "exit_code"))
    code = coerce.number(extras.get("exit_code")) if code is None else code
    return code if code != -1 else None
