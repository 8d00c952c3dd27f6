"""VS Code's chat sessions with Copilot: ``workspaceStorage/<hash>/chatSessions/<id>.json``, version 3.

A request has its answer as it was shown (``response``, parts in their order) and, once the answer is
finished, as the model wrote it (``result.metadata.toolCallRounds``). The events come from the parts, since
these only grow; the arguments and results of their calls come from the rounds.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from gittraj.formats.base import coerce, document, images
from gittraj.formats.base.outcomes import Refusal, ruling, tool_result
from gittraj.formats.base.position import facts
from gittraj.formats.copilot import parts
from gittraj.formats.copilot.parts import ShownCall
from gittraj.model.session_items import Fact, Item, Spent, TurnEnd
from gittraj.model.values import Message, NoteEvent, Prompt, Thinking, Usage

name = "copilot-vscode"
agent = "copilot"

_OPENING = re.compile(rb'(?:\xef\xbb\xbf)?\s*\{\s*"(?:version|requesterUsername|responderUsername)"\s*:')
_REQUESTS = re.compile(rb'"requests"\s*:\s*\[')
_OWN = re.compile(rb'"(?:requesterUsername|responderUsername|requestId)"\s*:')


def detect(head: bytes) -> bool:
    return bool(_OPENING.match(head) and _REQUESTS.search(head) and _OWN.search(head))


def items(value: Any, session: str | None, end: int) -> Iterator[Item]:
    """Yield the items of a chat session's object; ``end`` is the size of its log in bytes. ``session`` is the
    session's id if the object does not contain one."""
    chat = coerce.mapping(value)
    requests = coerce.objects(chat.get("requests"))
    if not chat:
        return
    yield from _facts(chat, requests, session)
    folder = parts.folder(requests)
    seen: set[str] = set()
    for number, request in enumerate(requests):
        request_id = coerce.text(request.get("requestId"))
        unique_id = f"n{number}" if request_id is None or request_id in seen else request_id
        seen.add(unique_id)
        yield from _Request(request, unique_id, end, folder=folder).items()


read = document.reader(items)


def _facts(chat: dict[str, Any], requests: list[dict[str, Any]], session: str | None) -> Iterator[Fact]:
    versions = (coerce.at(request, "agent", "extensionVersion") for request in requests)
    shape = [[coerce.stamp(request.get("timestamp"))] for request in requests[:1]]
    yield from facts(
        session=coerce.text(chat.get("sessionId")) or session or coerce.shape_id(name, shape),
        started_at=coerce.stamp(chat.get("creationDate")),
        title=coerce.text(chat.get("customTitle")),
        agent_version=next((version for version in versions if coerce.text(version)), None),
        folder=parts.folder(requests),
        entrypoint="vscode",
    )
    models = dict.fromkeys(parts.model(request) for request in requests)
    yield from (Fact(name="model", value=model) for model in models if model)


class _Request(document.Reading):
    """One question and its answer."""

    def __init__(self, request: dict[str, Any], request_id: str, end: int, *, folder: str | None) -> None:
        self._request = request
        super().__init__(end)
        self._id = request_id
        self._asked_at = request.get("timestamp")
        self._result = coerce.mapping(request.get("result"))
        self._timings = coerce.mapping(self._result.get("timings"))
        self._model = parts.model(request)
        self._folder = folder

    def items(self) -> Iterator[Item]:
        yield from self._prompt()
        response = None
        for part in parts.Answer(self._request, self._id, self._folder).parts():
            response = part.response
            match part.what:
                case ShownCall() as shown:
                    yield from self._call(part, shown)
                case str(text) if part.thinking:
                    yield self._entry(Thinking(**self._common(part), content=text))
                case str(text):
                    yield self._entry(Message(**self._common(part), content=text))
        yield from self._outcome(response)

    def _common(self, part: parts.AnswerPart) -> dict[str, Any]:
        ts = self._at("firstProgress") if part.ts is None else coerce.stamp(part.ts)
        return {
            "id": f"{self._id}:{part.ordinal}",
            "ts": ts,
            "model": self._model,
            "response": part.response,
        }

    def _at(self, moment: str) -> str | None:
        """The time of ``moment`` (``firstProgress``, ``totalElapsed``: milliseconds after the question)."""
        passed = self._timings.get(moment)
        if isinstance(self._asked_at, int | float) and isinstance(passed, int | float):
            return coerce.stamp(self._asked_at + passed)
        return None

    def _prompt(self) -> Iterator[Item]:
        message = self._request.get("message")
        text = message if isinstance(message, str) else coerce.string(coerce.mapping(message).get("text"))
        variables = coerce.objects(coerce.at(self._request, "variableData", "variables"))
        pictures = [
            images.from_base64(variable.get("value"), variable.get("mimeType"))
            for variable in variables
            if variable.get("kind") == "image" or str(variable.get("mimeType")).startswith("image/")
        ]
        prompt = "\n".join(filter(None, (text.strip(), *map(images.placeholder, pictures))))
        if prompt:
            first = next(iter(pictures), None)
            ts = coerce.stamp(self._asked_at)
            yield self._entry(Prompt(id=f"{self._id}:prompt", ts=ts, content=prompt, artifact=first))

    def _call(self, part: parts.AnswerPart, shown: ShownCall) -> Iterator[Item]:
        common, call, ended = self._common(part), shown.call, shown.ended
        yield self._entry(call.event(shown.id, **common), **call.known)
        if ended is None:
            return
        fields = {"id": f"{common['id']}:result", "ts": common["ts"]}
        yield self._entry(tool_result(ended, call_id=shown.id, **fields), **ended.known)
        if ended.declined:
            refusal = Refusal(call.name, call.arguments)
            yield self._entry(ruling(refusal, **fields | {"id": f"{common['id']}:decided"}))

    def _outcome(self, response: str | None) -> Iterator[Item]:
        ts = self._at("totalElapsed")
        canceled = self._request.get("isCanceled") is True
        if error := coerce.text(coerce.at(self._result, "errorDetails", "message")):
            yield self._entry(NoteEvent(id=f"{self._id}:error", ts=ts, content=error, kind="error"))
        if canceled:
            common: dict[str, Any] = {"id": f"{self._id}:canceled", "ts": ts, "tags": ("interrupted",)}
            yield self._entry(NoteEvent(**common, content="Canceled", kind="note"))
        if response and (usage := self._usage()) != Usage():
            yield Spent(response=response, usage=usage, beside=True)
        if self._result or canceled:
            yield TurnEnd(end=self._end)

    def _usage(self) -> Usage:
        fields = coerce.mapping(self._request.get("usage")) or coerce.mapping(self._result.get("usage"))
        fields = fields or coerce.mapping(self._result.get("metadata"))
        return Usage(
            input_tokens=coerce.count(fields.get("promptTokens")),
            output_tokens=coerce.count(fields.get("completionTokens", fields.get("outputTokens"))),
        )
