"""Reads records of a rollout: the program's own remarks (errors, undone turns, reviews by other agents) and
the facts about the session, in the first records. Records that need not be decoded are skipped.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime
from typing import Any, NamedTuple

from gittraj.formats.base import coerce
from gittraj.formats.base.lines import decode
from gittraj.formats.base.position import Position
from gittraj.model.session_items import Entry, Fact
from gittraj.model.values import AnyEvent, Decided, Decision, NoteEvent

_FIRST = frozenset(("id", "timestamp"))
_FIRST_OPTIONAL = frozenset(("instructions", "git"))


class Record(NamedTuple):  # made for each record of a log: making a dataclass takes three times as long
    """A record of a log. ``owner`` is the session from which the record was copied, if it was."""

    number: int
    kind: str
    payload: dict[str, Any]
    time: Any
    start: int
    end: int
    owner: str | None

    def common(self, ordinal: int = 0, *tags: str) -> dict[str, Any]:
        """The common fields, for the event from block ``ordinal``."""
        source = coerce.text(self.payload.get("id")) if self.kind == "response_item" else None
        return {
            "id": f"{source or f'n{self.number}'}:{ordinal}",
            "ts": coerce.stamp(self.time),
            "tags": tags,
        }

    def entry(self, event: AnyEvent, **known: Any) -> Entry:
        return Entry(event=event, end=self.end, session=self.owner, **known)


def opened(value: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    """The kind and payload of a record; the oldest form has no envelope."""
    if "payload" in value:
        return coerce.string(value.get("type")), coerce.mapping(value["payload"])
    if is_bare(value):
        return "session_meta", value
    return ("response_item" if "type" in value else ""), value


def is_bare(value: dict[str, Any]) -> bool:
    """Whether this is the first line of the oldest form, whose records have no envelope."""
    return "type" not in value and value.keys() >= _FIRST and not _FIRST_OPTIONAL.isdisjoint(value)


# ---------------------------------------------------------------- the program's own remarks

_VERDICTS = {"approved": "approved", "denied": "declined"}


def remarks(record: Record) -> Iterator[Entry]:
    """Yield the entries of an ``event_msg`` that is neither by the model nor by a human."""
    payload = record.payload
    match payload.get("type"):
        case "error" | "stream_error":
            text = coerce.text(payload.get("message")) or "error"
            yield record.entry(NoteEvent(**record.common(), content=text, kind="error"))
        case "thread_rolled_back":
            text = f"{coerce.count(payload.get('num_turns'))} turns rolled back"
            yield record.entry(NoteEvent(**record.common(), content=text, kind="note"))
        case "entered_review_mode":
            asked = coerce.first(payload, "user_facing_hint", "prompt")
            text = f"Review: {asked}" if asked else "Review"
            yield record.entry(NoteEvent(**record.common(0, "review"), content=text, kind="note"))
        case "exited_review_mode":
            yield from _findings(record, coerce.mapping(payload.get("review_output")))
        case "guardian_assessment":
            yield from _judgement(record)


def _findings(record: Record, review: dict[str, Any]) -> Iterator[Entry]:
    ordinal = 0
    for ordinal, finding in enumerate(coerce.objects(review.get("findings")), 1):
        location = coerce.mapping(finding.get("code_location"))
        line = coerce.number(coerce.at(location, "line_range", "start"))
        path = coerce.text(location.get("absolute_file_path"))
        where = f"{path}:{line}" if path and line else path
        parts = [coerce.text(finding.get("title")), where, coerce.text(finding.get("body"))]
        text = "\n".join(filter(None, parts))
        common = record.common(ordinal - 1, "review")
        yield record.entry(NoteEvent(**common, content=text, kind="finding"), paths=(path,) if path else ())
    parts = [coerce.text(review.get(name)) for name in ("overall_correctness", "overall_explanation")]
    text = "\n".join(filter(None, parts)) or "Review ended"
    yield record.entry(NoteEvent(**record.common(ordinal, "review"), content=text, kind="note"))


def _judgement(record: Record) -> Iterator[Entry]:
    """Yield the decision on a call by another model that supervises this one."""
    payload = record.payload
    verdict = _VERDICTS.get(str(payload.get("status")))
    if verdict is None:
        return
    action = coerce.mapping(payload.get("action"))
    what = coerce.first(action, "command", "tool_name", "type") or "an action"
    decision = Decision(
        chosen=f"{verdict} {what}", by="agent", reasoning=coerce.text(payload.get("rationale"))
    )
    yield record.entry(Decided(**record.common(0, "guardian"), decision=decision))


_GIT = {"branch": "branch", "start_commit": "commit_hash", "repository": "repository_url"}
_BURST = 2.0
"""Seconds within which a fork writes the copied history of its parent."""


def identify(position: Position, meta: dict[str, Any]) -> Iterator[Fact]:
    """Yield the facts in the first ``session_meta`` of a file, which is about the file's own session."""
    git = coerce.mapping(meta.get("git"))
    yield from position.report("session", coerce.text(meta.get("id")))
    yield from position.report("started_at", coerce.stamp(meta.get("timestamp")))
    yield from position.report_fields(meta, {"agent_version": "cli_version", "folder": "cwd"})
    yield from position.report_fields(git, _GIT)
    yield from position.report("entrypoint", coerce.text(meta.get("originator")))
    parent, kind = _parent(meta)
    yield from position.report("parent_session", parent)
    yield from position.report("parent_kind", kind)


def _parent(meta: dict[str, Any]) -> tuple[str | None, str | None]:
    """The session from which this one was started or forked, and which of the two: "subagent" or "fork".
    Reviewers and guardians name no parent, only the session that they share with it."""
    source = coerce.mapping(meta.get("source"))
    spawn = coerce.mapping(coerce.at(source, "subagent", "thread_spawn"))
    starter = coerce.either(meta.get("parent_thread_id"), spawn.get("parent_thread_id"))
    if starter or "subagent" in source or meta.get("thread_source") == "subagent":
        shared = coerce.text(meta.get("session_id"))
        return starter or (shared if shared != meta.get("id") else None), "subagent"
    base = coerce.mapping(meta.get("history_base"))
    origin = coerce.either(meta.get("forked_from_id"), base.get("thread_id"))
    return origin, "fork" if origin else None


def agent_path(meta: dict[str, Any]) -> str:
    """The path by which other agents of the session address this one."""
    spawn = coerce.mapping(coerce.at(meta, "source", "subagent", "thread_spawn"))
    return coerce.either(meta.get("agent_path"), spawn.get("agent_path")) or "/root"


def is_subagent(position: Position) -> bool:
    return position.facts.get("parent_kind") == "subagent"


class CopiedHistory:
    """Decides whether a record is copied from a fork's parent: older versions put copies before new records.

    Copies have new times, all within the moment when the file was made, and are preceded by the parent's own
    ``session_meta``. If turns have ids of UUID version 7 (RFC 9562), which begin with a time, the fork's own
    records begin with the first turn younger than the session; else with the first record after that moment.
    """

    def __init__(self, position: Position, state: dict[str, Any]) -> None:
        self._position = position
        self._began: str | None = state.get("began")
        self.owner: str | None = state.get("owner")
        """The session from which the next records were copied, if it is not the file's own."""

    def state(self) -> dict[str, Any]:
        return {"began": self._began, "owner": self.owner}

    def follow(self, kind: str, payload: dict[str, Any], time: Any) -> None:
        """Update ``owner`` for the next record, before it is read."""
        self._began = self._began or coerce.stamp(time)
        if kind == "session_meta":
            session, named = self._position.facts.get("session"), coerce.text(payload.get("id"))
            self.owner = named if session is not None and named != session else None
        elif self.owner is not None and self._is_own(coerce.text(payload.get("turn_id")), time):
            self.owner = None

    def _is_own(self, turn: str | None, time: Any) -> bool:
        session = self._position.facts.get("session")
        if turn and session and _is_v7(turn) and _is_v7(session):
            return turn[:13] >= session[:13]
        stamp = coerce.stamp(time)
        if stamp is None or self._began is None:
            return False
        passed = datetime.fromisoformat(stamp) - datetime.fromisoformat(self._began)
        return passed.total_seconds() > _BURST


def _is_v7(name: str) -> bool:
    return len(name) == 36 and name[14] == "7"


# ---------------------------------------------------------------- what need not be decoded

# Half of a rollout is repetition: the settings of a turn at every model call, counts of tokens that were
# reported before, the user interface's copies of texts. A record is skimmed only if decoding it would have
# the same result.

NOTHING: dict[str, Any] = {}
"""Replaces a record without information."""
CALL_RUNS: dict[str, Any] = {"type": "event_msg"}
"""Replaces a record that only shows that a model call is in progress."""

_HEAD = re.compile(
    rb'\{"timestamp":"[^"]{0,40}",(?:"ordinal":\d{1,18},)?"type":"(?:'
    rb'(turn_context|world_state)"'
    rb'|event_msg","payload":\{"type":"'
    rb"(agent_message|agent_reasoning|token_count|thread_settings_applied"
    rb'|item_completed","thread_id":"[^"]{0,64}","turn_id":"[^"]{0,64}","item":\{"type":"(?:AgentMessage|Reasoning)'
    rb')"'
    rb'|response_item","payload":\{"type":"message",(?:"id":"[^"]{0,200}",)?"role":"(developer)"'
    rb")"
)


def _is_one_record(line: bytes) -> bool:
    """Whether the line is not truncated, and has no second record."""
    return line.endswith(b"}\n") and line.count(b'"payload"') == 1


class RolloutSkim:
    """Replaces records of a rollout that need not be decoded, except while ``decode_all`` is set."""

    def __init__(self) -> None:
        self.decode_all = True
        self._settings = b""
        self._tokens = b""

    def __call__(self, raw: bytes) -> dict[str, Any] | None:
        if self.decode_all or not (head := _HEAD.match(raw)) or not _is_one_record(raw):
            return None
        match head[head.lastindex or 0]:
            case b"agent_message" | b"agent_reasoning":
                return CALL_RUNS
            case b"turn_context":
                before, self._settings = self._settings, raw[head.end() :]
                return NOTHING if self._settings == before else None
            case b"token_count":
                return self._count(raw[head.end() : raw.find(b'"rate_limits"')])
            case _:
                return NOTHING

    def _count(self, line: bytes) -> dict[str, Any] | None:
        """The token count in a record, without the account's limits, which are most of the record."""
        if line.startswith(b',"info":null'):
            return NOTHING
        before, self._tokens = self._tokens, line
        if line == before:
            return NOTHING
        try:
            info = decode("{" + line.decode().strip(",") + "}")
        except (ValueError, RecursionError):
            return None
        return {"type": "event_msg", "payload": {"type": "token_count", **info}} if "info" in info else None
