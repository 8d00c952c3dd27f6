"""Reads the output of Codex's tools, in the four shapes that it had over the years, and the human's answers
that some outputs contain.

A rollout has what the model saw: the output after a frame with its exit code and time, perhaps truncated in
the middle. The frame is read and removed; what remains is the real output.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from gittraj.formats.base import coerce, outcomes
from gittraj.formats.base.outcomes import Outcome, printed_commits
from gittraj.formats.codex import calls, prompts
from gittraj.model.session_items import Edit
from gittraj.model.values import Artifact, Decision

_FRAME = re.compile(
    r"(?:Exit code: |Chunk ID: |Process exited with code |Process running with session ID |Wall time: )"
    r"[^\n]*\n(?:[A-Z][^\n]*\n){0,6}?Output:\n?"
)
_EXIT = re.compile(r"^(?:Exit code: |Process exited with code )(-?\d{1,10})$", re.MULTILINE)
_WALL = re.compile(r"^Wall time: (\d{1,9}(?:\.\d{1,9})?) s", re.MULTILINE)
_CUT = re.compile(
    r"…\s?\d+ (?:tokens|chars|characters|bytes|lines) truncated\s?…"
    r"|\[\.\.\. (?:omitted \d+|\d+) of \d+ lines"
    r"|^Total output lines: \d+$"
    r"|^Warning: truncated output",
    re.MULTILINE,
)
_LONGEST = 10**9
_REFUSED = (
    "unsupported call: ",
    "unsupported custom tool call: ",
    "apply_patch verification failed",
    "failed to parse function arguments",
    "failed in sandbox",
    "execution error",
    "exec_command failed",
    "write_stdin failed",
    "aborted",
)
_DECLINED = re.compile(r"(?:exec command|patch|command|tool call) (?:was )?rejected by (?:the )?user")


@dataclass(frozen=True, slots=True)
class Ending:
    """How a call ended, from a record that is not its output."""

    exit_code: int | None = None
    failed: bool = False
    declined: bool = False
    duration_ms: int | None = None
    whole: str | None = None
    """The output before it was truncated for the model."""
    edits: tuple[Edit, ...] = ()
    """The files that a patch changed."""

    @property
    def whole_size(self) -> int | None:
        """The bytes of the whole output, if that is known and not empty."""
        return len(self.whole.encode("utf-8", "replace")) if self.whole else None


UNKNOWN = Ending()


def ending(fields: dict[str, Any]) -> Ending:
    """Read an ``item_completed`` item or an ``exec_command_end``/``patch_apply_end`` event."""
    exit_code = coerce.number(fields.get("exit_code"))
    declined = fields.get("status") == "declined"
    failed = declined or fields.get("status") == "failed" or fields.get("success") is False
    took = coerce.mapping(fields.get("duration"))
    known = "secs" in took
    return Ending(
        exit_code,
        failed or exit_code not in (None, 0),
        declined,
        coerce.count(took.get("secs")) * 1000 + coerce.count(took.get("nanos")) // 10**6 if known else None,
        coerce.text(fields.get("aggregated_output")),
        calls.changed(fields.get("changes")),
    )


def output(value: Any, ended: Ending = UNKNOWN) -> Outcome:
    """Read the output, which a rollout has as text, as JSON in a text, as content items or as an object.

    ``ended`` is from another record of the same call.
    """
    text, artifact, success, metadata = _unpack(value)
    frame, body = _split(text)
    exit_code = _exit_code(frame, metadata, ended)
    ran = frame or exit_code is not None  # then a program wrote the text
    declined = ended.declined or (not ran and _DECLINED.match(body) is not None)
    failed = success is False or ended.failed or exit_code not in (None, 0)
    truncated = _is_truncated(text)
    return Outcome(
        text=body,
        exit_code=exit_code,
        is_error=failed or declined or (not frame and body.startswith(_REFUSED)),
        truncated=truncated,
        artifact=artifact,
        commits=printed_commits(body),
        edits=ended.edits,
        declined=declined,
        duration_ms=_duration(frame, metadata, ended),
        bytes=ended.whole_size if truncated else None,
    )


def _split(text: str) -> tuple[str, str]:
    """The frame before an output, which may be empty, and the output."""
    framed = _FRAME.match(text)
    end = framed.end() if framed else 0
    return text[:end], text[end:]


def _exit_code(frame: str, metadata: dict[str, Any], ended: Ending) -> int | None:
    """The exit code from the output's own fields, else its frame, else another record of the call."""
    stated = coerce.number(metadata.get("exit_code"))
    if stated is not None:
        return stated
    code = _EXIT.search(frame) if frame else None
    return int(code[1]) if code else ended.exit_code


def _is_truncated(text: str) -> bool:
    may_be = "truncated" in text or "[... " in text or "Total output lines: " in text  # a quick check
    return may_be and _CUT.search(text) is not None


def _duration(frame: str, metadata: dict[str, Any], ended: Ending) -> int | None:
    """The duration in milliseconds, from another record of the call, else from the output."""
    if ended.duration_ms is not None:
        return ended.duration_ms
    took = metadata.get("duration_seconds")
    if isinstance(took, int | float) and 0 <= took < _LONGEST:
        return round(1000 * took)
    wall = _WALL.search(frame) if frame else None
    return round(1000 * float(wall[1])) if wall else None


def _unpack(value: Any) -> tuple[str, Artifact | None, bool | None, dict[str, Any]]:
    """The text of an output, its image, whether the output reports success, and its ``metadata``."""
    if isinstance(value, str):
        if value.startswith("{") and isinstance(inner := coerce.parsed(value), dict) and "output" in inner:
            text, artifact, success, _ = _unpack(inner["output"])
            return text, artifact, success, coerce.mapping(inner.get("metadata"))
        return value, None, None, {}
    if isinstance(value, dict):
        inner = value.get("content_items") or value.get("content") or value.get("output")
        text, artifact, _, _ = _unpack(inner)
        success = value.get("success")
        return text, artifact, success if isinstance(success, bool) else None, {}
    texts, artifact = prompts.parts(value)
    return "\n".join(texts), artifact, None, {}


# ---------------------------------------------------------------- answers

ASKING = "request_user_input"
_OTHER = "user_note: "
"""The prefix of the user's own text among the chosen labels."""


def answered(arguments: Any, output: str) -> Iterator[Decision]:
    """Yield decisions from the questions of a call and the answers in its output, as in codex-rs/protocol,
    ``request_user_input.rs``: ``{questions: [{id, question, options}]}`` and
    ``{answers: {id: {answers: [label]}}}``."""
    replies = coerce.mapping(coerce.mapping(coerce.parsed(output)).get("answers"))
    for question in coerce.objects(coerce.mapping(arguments).get("questions")):
        answer = coerce.mapping(replies.get(str(question.get("id")))).get("answers")
        chosen = coerce.texts(answer)
        if not chosen or question.get("isSecret") is True:
            continue
        yield replace(
            outcomes.answered(question, *chosen),
            question=coerce.first(question, "question", "header"),
            chosen=", ".join(text.removeprefix(_OTHER) for text in chosen),
        )
