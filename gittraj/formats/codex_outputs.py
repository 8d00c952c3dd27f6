"""What the output of one of Codex's tools says, in the four shapes that it had over the years.

A rollout holds what the model saw: the output within a frame of exit code and time, perhaps cut in
its middle. The frame is read and taken off; what remains is the real output.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from gittraj.formats import commits, images, loose
from gittraj.model import Artifact

_FRAME = re.compile(
    r"(?:Exit code: |Chunk ID: |Process exited with code |Process running with session ID |Wall time: )"
    r"[^\n]*\n(?:[A-Z][^\n]*\n){0,6}?Output:\n?"
)
_EXIT = re.compile(r"^(?:Exit code: |Process exited with code )(-?\d{1,10})$", re.MULTILINE)
_CUT = re.compile(
    r"…\s?\d+ (?:tokens|chars|characters|bytes|lines) truncated\s?…"
    r"|\[\.\.\. (?:omitted \d+|\d+) of \d+ lines"
    r"|^Total output lines: \d+$"
    r"|^Warning: truncated output",
    re.MULTILINE,
)
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
class Outcome:
    """How a call ended, by a record that is not its output."""

    exit_code: int | None = None
    failed: bool = False


def outcome(given: dict[str, Any]) -> Outcome:
    """From an ``item_completed`` item or an ``exec_command_end``/``patch_apply_end`` event."""
    exit_code = loose.number(given.get("exit_code"))
    failed = given.get("status") in ("failed", "declined") or given.get("success") is False
    return Outcome(exit_code, failed or exit_code not in (None, 0))


@dataclass(frozen=True, slots=True, kw_only=True)
class Output:
    """An output, apart from which event it becomes."""

    text: str
    exit_code: int | None = None
    is_error: bool = False
    truncated: bool = False
    artifact: Artifact | None = None
    commits: tuple[str, ...] = ()

    @property
    def declined(self) -> bool:
        """Whether a human refused the call."""
        return _DECLINED.match(self.text) is not None


def output(given: Any, outcome: Outcome | None = None) -> Output:
    """The output that a rollout holds as text, as JSON in a text, as content items or as object.

    ``outcome`` is what a record beside the output told of the call.
    """
    outcome = outcome or Outcome()
    text, artifact, success, exit_code = _unpack(given)
    framed = _FRAME.match(text)
    frame = framed[0] if framed else ""
    if exit_code is None and (ended := _EXIT.search(frame)):
        exit_code = int(ended[1])
    if exit_code is None:
        exit_code = outcome.exit_code
    body = text[len(frame) :]
    failed = success is False or outcome.failed or exit_code not in (None, 0)
    return Output(
        text=body,
        exit_code=exit_code,
        is_error=failed or (not frame and body.startswith(_REFUSED)) or _DECLINED.match(body) is not None,
        truncated=_CUT.search(text) is not None,
        artifact=artifact,
        commits=commits.printed(body),
    )


def _unpack(given: Any) -> tuple[str, Artifact | None, bool | None, int | None]:
    if isinstance(given, str):
        if given.startswith("{") and isinstance(inner := loose.parsed(given), dict) and "output" in inner:
            code = loose.number(loose.mapping(inner.get("metadata")).get("exit_code"))
            text, artifact, success, _ = _unpack(inner["output"])
            return text, artifact, success, code
        return given, None, None, None
    if isinstance(given, dict):
        inner = given.get("content_items") or given.get("content") or given.get("output")
        text, artifact, _, _ = _unpack(inner)
        success = given.get("success")
        return text, artifact, success if isinstance(success, bool) else None, None
    parts: list[str] = []
    artifact = None
    for item in loose.objects(given):
        if item.get("type") == "input_image":
            image = images.from_uri(item.get("image_url"))
            artifact = artifact or image
            parts.append(images.placeholder(image))
        elif text_part := loose.text(item.get("text")):
            parts.append(text_part)
    return "\n".join(parts), artifact, None, None
