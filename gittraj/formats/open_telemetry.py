"""OpenTelemetry's spans of generative AI, as OTLP/JSON (semantic conventions for GenAI, in development).

A trajectory is a span ``invoke_agent``, with a ``chat`` for each model call and an ``execute_tool`` for each
tool call. The conventions make message texts optional, and they are not written: attributes have names, times
and tokens. Ids of spans are derived from those of events, so the same trajectory has the same spans.
"""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from gittraj import __version__
from gittraj.formats.base.exported import Exported, events_of, pretty
from gittraj.model.header import Header
from gittraj.model.times import seconds

Span = dict[str, Any]

_INTERNAL, _CLIENT = 1, 3  # SpanKind
_OK, _ERROR = 1, 2  # StatusCode
_MODEL_EVENTS = ("thinking", "message", "tool_call")
_INPUT = ("inputTokens", "cacheReadTokens", "cacheWriteTokens")
_PROVIDERS = {"claude": "anthropic", "gpt": "openai", "codex": "openai", "gemini": "gcp.gemini",
              "grok": "x_ai", "deepseek": "deepseek", "mistral": "mistral_ai"}  # fmt: skip


def write(exported: Exported) -> Iterator[str]:
    trajectories = {trajectory["id"]: trajectory for trajectory in exported.trajectories}
    spans = [
        span for trajectory in trajectories.values() for span in _spans(trajectory, trajectories, exported)
    ]
    scope = {"scope": {"name": "git-traj", "version": __version__}, "spans": spans}
    resource = {"attributes": _attributes({"service.name": "git-traj"})}
    yield pretty({"resourceSpans": [{"resource": resource, "scopeSpans": [scope]}]})


def _spans(trajectory: Header, by_id: Mapping[str, Header], exported: Exported) -> Iterator[Span]:
    events = [*events_of(trajectory)]
    times = _times(trajectory, events)
    parent = str((trajectory["parent"] or {}).get("id"))
    root = {
        "traceId": _digest("trace", _topmost(trajectory, by_id))[:32],
        "spanId": _span_id(trajectory["id"], "root"),
        **({"parentSpanId": _span_id(parent, "root")} if parent in by_id else {}),
        "name": f"invoke_agent {trajectory['agent'] or ''}".strip(),
        "kind": _INTERNAL,
        "startTimeUnixNano": str(times[0] if times else 0),
        "endTimeUnixNano": str(times[-1] if times else 0),
        "attributes": _attributes(_agent_attributes(trajectory, exported.commits.get(trajectory["id"], ()))),
        "status": {"code": _ERROR if trajectory["status"] == "failed" else _OK},
    }
    yield root
    common = {"traceId": root["traceId"], "parentSpanId": root["spanId"]}
    yield from (common | span for span in _calls_of_models(trajectory, events, times))
    yield from (common | span for span in _calls_of_tools(trajectory, events, times))


def _topmost(trajectory: Header, by_id: Mapping[str, Header]) -> str:
    """The id of the trajectory's topmost ancestor among those that are exported: it identifies the trace."""
    seen: set[str] = set()
    while (parent := str((trajectory["parent"] or {}).get("id"))) in by_id and trajectory["id"] not in seen:
        seen.add(trajectory["id"])
        trajectory = by_id[parent]
    return str(trajectory["id"])


def _agent_attributes(trajectory: Header, commits: Sequence[Header]) -> dict[str, Any]:
    usage = trajectory["part"]["usage"]
    return {
        "gen_ai.operation.name": "invoke_agent",
        "gen_ai.agent.id": trajectory["id"],
        "gen_ai.agent.name": trajectory["agent"],
        "gen_ai.agent.version": trajectory["agentVersion"],
        "gen_ai.conversation.id": trajectory["session"],
        "gen_ai.provider.name": _provider(trajectory["models"][0]) if trajectory["models"] else None,
        "gen_ai.request.model": trajectory["models"][0] if len(trajectory["models"]) == 1 else None,
        **_tokens(usage),
        "git_traj.cost_usd": trajectory["part"]["costUsd"],
        "git_traj.confidence": trajectory["confidence"],
        "vcs.ref.head.revision": commits[-1]["commit"] if len(commits) == 1 else None,
        "git_traj.commits": [entry["commit"] for entry in commits] or None,
    }


def _calls_of_models(trajectory: Header, events: Sequence[Header], times: Sequence[int]) -> Iterator[Span]:
    """Yield a span for each response. Events without a response's id are not in any span."""
    groups: defaultdict[str, list[int]] = defaultdict(list)
    usages: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for at, event in enumerate(events):
        if response := event.get("response"):
            usages[response].update({key: number or 0 for key, number in (event.get("usage") or {}).items()})
            if event["type"] in _MODEL_EVENTS:
                groups[response].append(at)
    for response, indices in groups.items():
        first, last = indices[0], indices[-1]
        model = next(filter(None, (events[at].get("model") for at in indices)), None)
        yield {
            "spanId": _span_id(trajectory["id"], f"chat {response}"),
            "name": f"chat {model or ''}".strip(),
            "kind": _CLIENT,
            # a log has the time of the answer, not of the request: the event before it is the best estimate
            "startTimeUnixNano": str(times[max(first - 1, 0)]),
            "endTimeUnixNano": str(times[last]),
            "attributes": _attributes(
                {
                    "gen_ai.operation.name": "chat",
                    "gen_ai.provider.name": _provider(model),
                    "gen_ai.request.model": model,
                    "gen_ai.response.model": model,
                    "gen_ai.response.id": response,
                    "gen_ai.conversation.id": trajectory["session"],
                    **_tokens(usages[response]),
                }
            ),
            "status": {"code": _OK},
        }


def _calls_of_tools(trajectory: Header, events: Sequence[Header], times: Sequence[int]) -> Iterator[Span]:
    results = _results_by_call(events)
    for at, event in enumerate(events):
        if event["type"] != "tool_call":
            continue
        tool = event["tool"]
        end = results.get(tool["callId"], -1)
        result = events[end]["result"] if end > at else {}
        failed = bool(result.get("isError") or result.get("exitCode"))
        following = end if result else min(at + 1, len(events) - 1)
        yield {
            "spanId": _span_id(trajectory["id"], f"tool {event['id']}"),
            "name": f"execute_tool {tool['name'] or ''}".strip(),
            "kind": _INTERNAL,
            "startTimeUnixNano": str(times[at]),
            "endTimeUnixNano": str(max(times[at], times[following])),
            "attributes": _attributes(
                {
                    "gen_ai.operation.name": "execute_tool",
                    "gen_ai.tool.name": tool["name"],
                    "gen_ai.tool.call.id": tool["callId"],
                    "gen_ai.conversation.id": trajectory["session"],
                    "process.exit.code": result.get("exitCode"),
                    "error.type": "tool_error" if failed else None,
                }
            ),
            "status": {"code": _ERROR if failed else _OK},
        }


def _results_by_call(events: Sequence[Header]) -> dict[str, int]:
    """The positions of results, by the ids of their calls."""
    return {
        e["result"]["callId"]: at for at, e in enumerate(events) if "result" in e and e["result"]["callId"]
    }


def _times(trajectory: Header, events: Sequence[Header]) -> list[int]:
    """The time of each event, in nanoseconds since 1970, never earlier than that of the event before it. An
    event without a time gets that of the event before it."""
    now = _nanoseconds(trajectory["startedAt"])
    times = []
    for event in events:
        now = max(now, _nanoseconds(event.get("ts")))
        times.append(now)
    return times


def _nanoseconds(stamp: str | None) -> int:
    """The time in nanoseconds since 1970, in whole milliseconds; 0 if it is not known."""
    return round((seconds(stamp) or 0) * 1000) * 1_000_000


def _tokens(usage: Header) -> dict[str, Any]:
    if not any(usage.values()):
        return {}
    return {
        "gen_ai.usage.input_tokens": sum(usage.get(key) or 0 for key in _INPUT),
        "gen_ai.usage.output_tokens": usage.get("outputTokens") or 0,
        "gen_ai.usage.cache_read.input_tokens": usage.get("cacheReadTokens") or None,
        "gen_ai.usage.cache_creation.input_tokens": usage.get("cacheWriteTokens") or None,
        "gen_ai.usage.reasoning.output_tokens": usage.get("reasoningTokens") or None,
    }


def _attributes(fields: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The attributes whose values are known."""
    return [{"key": key, "value": _value(value)} for key, value in fields.items() if value is not None]


def _value(value: Any) -> dict[str, Any]:
    match value:
        case bool():
            return {"boolValue": value}
        case int():
            return {"intValue": str(value)}
        case float():
            return {"doubleValue": value}
        case list():
            return {"arrayValue": {"values": [_value(item) for item in value]}}
        case _:
            return {"stringValue": str(value)}


def _provider(model: str | None) -> str | None:
    return next((name for start, name in _PROVIDERS.items() if (model or "").startswith(start)), None)


def _span_id(trajectory: str, name: str) -> str:
    return _digest("span", trajectory, name)[:16]


def _digest(*names: str) -> str:
    return hashlib.sha256("\0".join(names).encode("utf-8", "replace")).hexdigest()
