"""Reads SWE-agent's runs, ``*.traj`` of versions 0.x and 1.x.

``trajectory`` has the steps of the run; ``history`` has the messages that the model received, with
demonstrations that do not belong to the run; some files have only one of the two. The prompts that each step
repeats (``query``, ``messages``) are left out. Paths are inside a container: they become relative to the root
of the repository there.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from gittraj.formats.base import coerce, document
from gittraj.formats.base.document import peek
from gittraj.formats.base.outcomes import printed_commits
from gittraj.formats.base.position import facts
from gittraj.formats.openai import completion
from gittraj.formats.swe import ending, task, windowed
from gittraj.model.session_items import Entry, Fact, Item, Spent, TurnEnd
from gittraj.model.values import NoteEvent, Prompt, Thinking, ToolCall, ToolResult, Usage

name = "swe-agent"
agent = "swe-agent"

_LONGEST = 1e7
"""The maximum number of seconds that a command may have run."""
_DEMONSTRATION = "Here is a demonstration of how to"


def detect(head: bytes) -> bool:
    run = coerce.mapping(peek(head))
    if "trajectory_format" in run or "schema_version" in run:
        return False
    return any(map(_is_run, [run, *coerce.objects(run.get("attempts"))]))


def _is_run(run: dict[str, Any]) -> bool:
    steps, history = coerce.objects(run.get("trajectory")), coerce.objects(run.get("history"))
    if steps:
        return bool(steps[0].keys() & {"action", "observation"})
    return bool(history) and "role" in history[0] and bool(history[0].keys() & {"agent", "message_type"})


@document.reader
def read(value: Any, _session: str | None, end: int) -> Iterator[Item]:
    """Yield the items of a run, with all its attempts if it was retried."""
    if isinstance(value, dict):
        yield from _Reading(value, end).items()


class _Reading(document.Reading):
    def __init__(self, run: dict[str, Any], end: int) -> None:
        super().__init__(end)
        self._run = run
        self._config = coerce.mapping(coerce.parsed(run.get("replay_config")))
        # a retried run also repeats the best of its attempts outside them
        self._attempts = coerce.objects(run.get("attempts")) or [run]
        self._info = coerce.mapping(run.get("info")) or coerce.mapping(self._attempts[-1].get("info"))
        self._task: str | None = None
        configured = coerce.mapping(self._config.get("agent"))
        self._model = coerce.text(coerce.at(configured, "model", "name"))
        self._templates = coerce.mapping(configured.get("templates"))
        self._begin("")

    def _begin(self, prefix: str) -> None:
        """Begin an attempt; ``prefix`` is that of its events' ids."""
        self._prefix = prefix
        self._shell = windowed.Shell()
        self._root: str | None = None  # the repository's root: the first folder that is known
        self._waiting: str | None = None  # the id of the call without a result

    def items(self) -> Iterator[Item]:
        entries: list[Entry] = []
        for number, attempt in enumerate(self._attempts):
            several = len(self._attempts) > 1
            self._begin(f"a{number}." if several else "")
            entries += self._attempt(number, attempt) if several else self._steps(attempt)
        last = self._ending(self._info)
        entries = ending.credit(entries, last.submission)
        yield from self._facts()
        yield from last.facts()
        yield from entries
        if len(self._attempts) == 1:
            yield from self._review(self._info)
        self._prefix = ""
        yield from last.entries(self._end)
        yield from self._spent(entries)
        if last.status:
            yield TurnEnd(end=self._end)

    # ------------------------------------------------------------ the run as a whole

    def _facts(self) -> Iterator[Fact]:
        problem = coerce.mapping(self._config.get("problem_statement"))
        repository = coerce.mapping(coerce.at(self._config, "env", "repo"))
        stats = coerce.mapping(self._info.get("model_stats"))
        instance = coerce.either(problem.get("id"), self._run.get("instance_id"))
        yield from facts(
            session=coerce.shape_id(name, [[instance], *self._shape()]),
            instance=instance,
            agent_version=coerce.text(self._info.get("swe_agent_version")),
            model=self._model,
            title=task.title(self._task or ""),
            start_commit=coerce.text(repository.get("base_commit")),
            repository=coerce.text(repository.get("github_url")),
            messages=len(coerce.objects(self._run.get("history"))) or None,
            api_calls=coerce.number(stats.get("api_calls")),
            cost_usd=coerce.cost(stats.get("instance_cost")),
        )

    def _shape(self) -> Iterator[tuple[coerce.Part, ...]]:
        first = self._attempts[0]
        yield from completion.opening(m for m in coerce.objects(first.get("history")) if not _is_demo(m))
        for step in coerce.objects(first.get("trajectory"))[:2]:
            lengths = (len(coerce.string(step.get(key))) for key in ("action", "observation", "response"))
            yield (*lengths, _seconds(step.get("execution_time")))

    def _ending(self, info: dict[str, Any]) -> ending.Ending:
        return ending.Ending(
            exit_status=coerce.text(info.get("exit_status")), submission=coerce.text(info.get("submission"))
        )

    def _spent(self, entries: list[Entry]) -> Iterator[Spent]:
        """Yield the tokens of the whole run as those of the last model call: calls do not state their own."""
        stats = coerce.mapping(self._info.get("model_stats"))
        sent, received = (coerce.count(stats.get(f"tokens_{way}")) for way in ("sent", "received"))
        last = next((e.event.response for e in reversed(entries) if e.event.response), None)
        if last and (sent or received):
            yield Spent(response=last, usage=Usage(input_tokens=sent, output_tokens=received), beside=True)

    # ------------------------------------------------------------ one attempt

    def _attempt(self, number: int, attempt: dict[str, Any]) -> Iterator[Entry]:
        title = f"Attempt {number + 1} of {len(self._attempts)}"
        yield self._entry(NoteEvent(id=self._id("attempt", 0), content=title, kind="note"))
        yield from self._steps(attempt)
        info = coerce.mapping(attempt.get("info"))
        yield from self._review(info)
        attempt_ending = self._ending(info)
        if attempt_ending.submission != self._ending(self._info).submission:
            yield from attempt_ending.entries(self._end, prefix=self._prefix)

    def _steps(self, attempt: dict[str, Any]) -> Iterator[Entry]:
        steps = coerce.objects(attempt.get("trajectory"))
        history = [m for m in coerce.objects(attempt.get("history")) if not _is_demo(m)]
        if self._task is None and (problem := self._problem(history)):
            self._task = problem
            yield self._entry(Prompt(id=self._id("task", 0), content=problem))
        for number, step in enumerate(steps):
            yield from self._step(number, step)
        if not steps:
            for number, message in enumerate(history):
                yield from self._message(number, message)

    def _problem(self, history: list[dict[str, Any]]) -> str | None:
        """The task: from the run's configuration, or else from the first message to the model."""
        if text := coerce.text(coerce.at(self._config, "problem_statement", "text")):
            return text.strip()
        prompt = next((m for m in history if m.get("role") == "user"), {})
        text = completion.text(prompt.get("content"))[0]
        return task.task(text, self._templates.get("instance_template")) or None

    def _step(self, number: int, step: dict[str, Any]) -> Iterator[Entry]:
        record_id = f"s{number}"
        observation = coerce.text(step.get("observation"))
        action = coerce.string(step.get("action")).rstrip("\r\n")
        thought = step.get("thought")  # without it, the response, which repeats the action
        thought = thought if isinstance(thought, str) else coerce.string(step.get("response"))
        state = step.get("state")
        if isinstance(state, str):  # version 0.x states it before the action, 1.x after it
            self._update_shell(state, "")
        yield from self._thought(record_id, thought)
        if action:
            yield self._call(record_id, completion.Call("bash", {"command": action}))
        if step.get("observation") is not None and action:
            yield self._result(record_id, observation or "", step)
        elif observation:
            yield self._entry(NoteEvent(id=self._id(record_id, 2), content=_lines(observation), kind="error"))
        if not isinstance(state, str):
            self._update_shell(state, observation or "")

    def _message(self, number: int, message: dict[str, Any]) -> Iterator[Entry]:
        """Yield the events of a message, in a file without steps."""
        record_id, text = f"h{number}", completion.text(message.get("content"))[0]
        if message.get("role") == "assistant":
            calls = list(completion.calls(message))
            action = coerce.string(message.get("action")).rstrip("\r\n")
            if not calls and action:
                calls = [completion.Call("bash", {"command": action})]
            yield from self._thought(record_id, coerce.text(message.get("thought")) or text)
            for ordinal, call in enumerate(calls, 1):
                yield self._call(record_id, call, ordinal)
        elif message.get("role") in ("user", "tool") and self._waiting is not None:
            ids = message.get("tool_call_ids")
            if isinstance(ids, list) and ids and isinstance(ids[0], str):
                self._waiting = ids[0]
            yield self._result(record_id, text, {})
            self._update_shell(None, text)

    # ------------------------------------------------------------ events

    def _id(self, record_id: str, ordinal: int) -> str:
        return f"{self._prefix}{record_id}:{ordinal}"

    def _thought(self, record_id: str, text: str) -> Iterator[Entry]:
        if text := text.strip():
            common: dict[str, Any] = {"model": self._model, "response": f"{self._prefix}{record_id}"}
            yield self._entry(Thinking(id=self._id(record_id, 0), **common, content=_lines(text)))

    def _call(self, record_id: str, call: completion.Call, ordinal: int = 1) -> Entry:
        self._waiting = call.id or self._id(record_id, ordinal)
        event = ToolCall(
            id=self._id(record_id, ordinal),
            model=self._model,
            response=f"{self._prefix}{record_id}",
            name=call.name,
            arguments=call.arguments,
            call_id=self._waiting,
        )
        edits = windowed.edits(call.name, call.arguments, self._shell.file)
        return self._entry(
            event,
            command=call.command if not edits else None,
            edits=tuple(replace(edit, path=self._inside(edit.path)) for edit in edits),
            paths=tuple(map(self._inside, windowed.paths(call.name, call.arguments))),
        )

    def _inside(self, path: str) -> str:
        """The path relative to the repository's root, if it is inside the repository."""
        folder = self._shell.folder or self._root
        if folder and not posixpath.isabs(path):
            path = posixpath.normpath(posixpath.join(folder, path))
        root = (self._root or "").rstrip("/")
        return path.removeprefix(f"{root}/") if root else path

    def _result(self, record_id: str, text: str, step: dict[str, Any]) -> Entry:
        content = _lines(text)
        seconds = _seconds(step.get("execution_time"))
        event = ToolResult(
            id=self._id(record_id, 2) if step else self._id(record_id, 0),
            content=content,
            call_id=self._waiting,
            is_error=windowed.refused(content),
            duration_ms=round(seconds * 1000) if seconds is not None else None,
        )
        self._waiting = None
        return self._entry(event, commits=printed_commits(content))

    def _update_shell(self, state: Any, observation: str) -> None:
        self._shell = windowed.shell(state, observation, self._shell)
        self._root = self._root or self._shell.folder

    def _review(self, info: dict[str, Any]) -> Iterator[Entry]:
        """Yield the review of an attempt, if there is one."""
        review = info.get("review")
        fields = coerce.mapping(review)
        outputs = fields.get("outputs", review)
        texts = coerce.texts(outputs)
        lines = (f"{key}: {value}" for key, value in fields.items() if isinstance(value, str | int | float))
        content = "\n\n".join(texts) or coerce.text(review) or "\n".join(lines)
        if content:
            accepted = fields.get("accept")
            tags = () if not isinstance(accepted, bool) else ("accepted" if accepted else "rejected",)
            event = NoteEvent(id=self._id("review", 0), content=content, kind="verification", tags=tags)
            yield self._entry(event)


def _is_demo(message: dict[str, Any]) -> bool:
    """Whether a message is a demonstration for the model, which does not belong to the run."""
    if message.get("is_demo") is True or message.get("message_type") == "demonstration":
        return True
    return completion.text(message.get("content"))[0].startswith(_DEMONSTRATION)


def _lines(text: str) -> str:
    """Replace the line ends of a terminal (CR LF) by LF."""
    return text.replace("\r\n", "\n")


def _seconds(value: Any) -> float | None:
    """How many seconds a command ran; None for anything but a plausible number."""
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return float(value) if is_number and 0 <= value < _LONGEST else None
