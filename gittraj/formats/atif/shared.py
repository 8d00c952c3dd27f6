"""Converts a step of ATIF (https://github.com/harbor-framework/harbor, RFC 0001) to our events, and back.

One step of an agent is one model call: its thinking, text, tool calls and their results. An event that is
neither an agent's nor a human's becomes a step of the system, with the event's type in ``extra``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, cast

from gittraj.formats.atif.schema import Event, fit
from gittraj.formats.base import coerce
from gittraj.formats.base.carried import Names, Shown, difference, patch, present
from gittraj.model.codec import to_json
from gittraj.model.times import to_stamp

VERSION, LATEST = "ATIF-v1.7", "ATIF-v1.8"
OWN = "atif"
"""The field of an event that keeps the fields of its step without a counterpart."""
COPIED = "copied_context"
"""The type of an event for a step that a file repeats from an earlier file."""

_AGENT = ("thinking", "message", "tool_call")
_SYSTEM = frozenset(
    (
        *("finding", "note", "error", "compaction", "verification", "checkpoint", "chapter", "refusal"),
        *("message_sent", "message_received", "decision", "retrospective"),
    )
)
_LETTERS = {"thinking": "t", "message": "m", "tool_call": "c", "tool_result": "r"}
_NESTED = ("decision", "retrospective")
_TOKENS = ("prompt_token_ids", "completion_token_ids", "logprobs")
_WRITE, _REASONING = "cache_creation_input_tokens", "reasoning_output_tokens"


# ---------------------------------------------------------------- a step is read


def step_events(step: Shown, names: Names) -> list[Event]:
    """Return the events in a step, first thinking, then text, calls and results; at least one event."""
    text = content_text(step.get("message"))
    source = step.get("source")
    calls = coerce.objects(step.get("tool_calls"))
    step_key = names.of(*_shape(step, text, calls))
    if step.get("is_copied_context") is True:
        events: list[Event] = [{"type": COPIED, "content": text}]
    elif source == "user":
        events = [_with_content("prompt", text)]
    elif source == "agent":
        events = list(_agent_events(step, text, calls, step_key))
    else:
        events = list(_system_events(step, text))
        for event in events if len(events) > 1 else ():
            event["response"] = step_key  # nothing else shows that they are one step
    stamp = to_stamp(step.get("timestamp"))
    seen: Counter[str] = Counter()
    for event in events:
        event["id"] = f"{step_key}:{_LETTERS.get(event['type'], 'e')}{seen[event['type']]}"
        seen[event["type"]] += 1
        if stamp:
            event["ts"] = stamp
        if event["type"] == "tool_call":
            event["tool"].setdefault("callId", event["id"])
    return events


def _shape(step: Shown, text: str, calls: list[Event]) -> Iterator[str | int | None]:
    """Yield what the step's id is made of; not the thinking, which may have been dropped."""
    source = step.get("source")
    yield source if isinstance(source, str) else None
    yield to_stamp(step.get("timestamp"))
    yield len(text)
    yield from (call["tool_call_id"] for call in calls if isinstance(call.get("tool_call_id"), str))


def _agent_events(step: Shown, text: str, calls: list[Event], step_key: str) -> Iterator[Event]:
    """Yield the events of a model call; ``step_key`` is the step's id."""
    common = {"response": step_key, **present(model=coerce.text(step.get("model_name")))}
    thought = coerce.text(step.get("reasoning_content"))
    events: list[Event] = [{"type": "thinking", "content": thought, **common}] if thought else []
    if text or not (events or calls):
        events.append({**_with_content("message", text), **common})
    events += [{"type": "tool_call", "tool": _tool(call), **common} for call in calls]
    results = list(_results(step))
    for result in results:
        if "callId" not in result.get("result", {}):
            result["response"] = step_key  # nothing else shows to which step it belongs
    if usage := read_usage(step.get("metrics")):
        [*events, *(r for r in results if "response" in r)][-1]["usage"] = usage
    yield from (*events, *results)


def _tool(call: Event) -> Event:
    arguments = call.get("arguments")
    if isinstance(arguments, dict) and arguments.keys() == {"raw"} and isinstance(arguments["raw"], str):
        arguments = arguments["raw"]
    tool = {"name": coerce.text(call.get("function_name")) or "unknown"}
    tool |= {} if arguments is None else {"arguments": arguments}
    return tool | present(callId=coerce.text(call.get("tool_call_id")))


def _system_events(step: Shown, text: str) -> Iterator[Event]:
    extra = coerce.mapping(step.get("extra"))
    kind = extra.get("type")
    results = list(_results(step))
    if isinstance(kind, str) and kind in _SYSTEM:
        nested = {kind: extra[kind]} if kind in _NESTED and isinstance(extra.get(kind), dict) else {}
        if kind not in _NESTED or nested:
            yield {**_with_content(kind, text), **nested}
        else:
            yield _with_content("note", text)
    elif text or not results:
        yield _with_content("note", text)
    yield from results


def _results(step: Shown) -> Iterator[Event]:
    for result in coerce.objects(coerce.at(step, "observation", "results")):
        text = content_text(result.get("content"))
        extra = coerce.mapping(result.get("extra"))
        fields = present(
            callId=coerce.text(result.get("source_call_id")),
            isError=True if extra.get("is_error") is True else None,
            exitCode=coerce.number(extra.get("exit_code")),
        )
        yield {**_with_content("tool_result", text), **present(result=fields)}


def content_text(content: Any) -> str:
    """The content as one text, with placeholders for media."""
    return content if isinstance(content, str) else "\n".join(_part(part) for part in coerce.objects(content))


def _part(part: dict[str, Any]) -> str:
    if isinstance(part.get("text"), str):
        return str(part["text"])
    path = coerce.at(part, "source", "path")
    inline = not isinstance(path, str) or path.startswith("data:")
    return f"[{coerce.text(part.get('type')) or 'part'}{'' if inline else f' {path}'}]"


def read_usage(metrics: Any) -> dict[str, int]:
    """The tokens of a step without zeros. ATIF's prompt tokens include cached ones: these are subtracted."""
    more = {key: coerce.at(metrics, "extra", key) for key in (_WRITE, _REASONING)}
    names = ("prompt_tokens", "cached_tokens", _WRITE, "completion_tokens", _REASONING)
    usage = coerce.usage({**coerce.mapping(metrics), **more}, names, cached_in_input=True)
    return cast(dict[str, int], to_json(usage))


def keep_others(step: Shown, events: Sequence[Event]) -> None:
    """Keep, in one of its events, the step's fields without a counterpart. Ids and probabilities of tokens
    are never kept: with the tokenizer anyone could decode sealed or redacted text from them."""
    kept = {k: v for k, v in step.items() if k != "step_id"}
    if isinstance(kept.get("metrics"), dict):
        kept["metrics"] = {k: v for k, v in kept["metrics"].items() if k not in _TOKENS}
    kept.pop("reasoning_content", None)  # thinking is an event, or was dropped
    if events[0]["type"] == COPIED:
        events[0][OWN] = kept
        return
    built = build_step(events)
    built.pop("reasoning_content", None)
    change = difference(kept, built)
    if change:
        keeper = next((e for e in events if e["type"] != "thinking"), events[0])  # thinking may be dropped
        keeper[OWN] = change


# ---------------------------------------------------------------- a step is written


def build_step(events: Sequence[Shown]) -> dict[str, Any]:
    """Return the step, without a number, for the events of one model call or for a single other event."""
    first = events[0]
    kept = _first_value(events, OWN)
    step: Event = {"source": "system", "message": ""}
    if first["type"] == COPIED and isinstance(kept, dict):
        return fit(kept, {**step, "message": first.get("content", "")})
    if stamp := _first_value(events, "ts"):
        step["timestamp"] = stamp
    step |= _step_content(events)
    is_agent = step["source"] == "agent"
    if results := [_build_result(e, is_agent=is_agent) for e in events if e["type"] == "tool_result"]:
        step["observation"] = {"results": results}
    return fit(patch(step, kept), step) if isinstance(kept, dict) else step


def _first_value(events: Sequence[Shown], key: str) -> Any:
    """The first value under ``key`` that is not empty; None if all are empty."""
    return next(filter(None, (event.get(key) for event in events)), None)


def _step_content(events: Sequence[Shown]) -> Event:
    """The fields of a step other than its time and its results."""
    first = events[0]
    match first["type"]:
        case kind if kind in _AGENT:
            return _agent_step(events)
        case "prompt":
            return {"source": "user", "message": first.get("content", "")}
        case "tool_result":
            return {}
        case "note":
            return {"message": first.get("content", "")}
        case kind:
            nested = {kind: first[kind]} if kind in _NESTED and kind in first else {}
            return {"message": _words(first), "extra": {"type": kind, **nested}}


def _agent_step(events: Sequence[Shown]) -> dict[str, Any]:
    fields = present(
        model_name=_first_value([e for e in events if e["type"] in _AGENT], "model"),
        reasoning_content=_joined(events, "thinking"),
        tool_calls=[_build_call(e) for e in events if e["type"] == "tool_call"],
        metrics=build_metrics([e["usage"] for e in events if e.get("usage")]),
    )
    return {"source": "agent", "message": _joined(events, "message"), **fields}


def _joined(events: Sequence[Shown], kind: str) -> str:
    """The contents of the events of one type, as paragraphs."""
    return "\n\n".join(e["content"] for e in events if e["type"] == kind and e.get("content"))


def _build_call(event: Shown) -> dict[str, Any]:
    tool = event["tool"]
    arguments = tool.get("arguments")
    if not isinstance(arguments, dict):
        arguments = {} if arguments is None else {"raw": arguments}
    return {
        "tool_call_id": tool.get("callId") or event["id"],
        "function_name": tool["name"] or "unknown",
        "arguments": arguments,
    }


def _build_result(event: Shown, *, is_agent: bool) -> dict[str, Any]:
    fields = coerce.mapping(event.get("result"))
    extra = present(is_error=fields.get("isError") or None, exit_code=fields.get("exitCode"))
    call = fields.get("callId") if is_agent else None
    return {"content": event.get("content", ""), **present(source_call_id=call, extra=extra)}


def build_metrics(usages: Sequence[Mapping[str, int]]) -> dict[str, Any]:
    """The metrics for the sum of ``usages``; optional ones only if they are not zero."""

    def total(*keys: str) -> int:
        return sum(usage.get(key) or 0 for usage in usages for key in keys)

    if not usages:
        return {}
    more = {_WRITE: total("cacheWriteTokens"), _REASONING: total("reasoningTokens")}
    extra = {key: number for key, number in more.items() if number}
    return {
        "prompt_tokens": total("inputTokens", "cacheReadTokens", "cacheWriteTokens"),
        "completion_tokens": total("outputTokens"),
        **present(cached_tokens=total("cacheReadTokens") or None, extra=extra),
    }


def _words(event: Shown) -> str:
    if content := event.get("content"):
        return str(content)
    decision = coerce.mapping(event.get("decision"))
    return str(decision.get("chosen") or coerce.at(event, "retrospective", "summary") or "")


def _with_content(kind: str, text: str) -> dict[str, Any]:
    return {"type": kind, **present(content=text)}
