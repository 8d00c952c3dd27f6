"""The frozen dataclasses that a trajectory consists of; they do no I/O.

Field names are the stored ones in snake case (``docs/format.md`` describes them for other tools).
A ``Literal`` lists the words that this version knows; a record of a later version may have others.
Times are ISO 8601 UTC texts with milliseconds, as they are stored; an unknown value is ``None``, never
invented. ``extra`` preserves the fields of later versions. ``codec`` reads the annotations, so they must not
be texts (``__future__``): each would have to be compiled in every process.
"""

import dataclasses
from collections.abc import Mapping
from dataclasses import field
from typing import Any, Literal, TypeVar

from gittraj.frozen import dataclass

Json = None | bool | int | float | str | list["Json"] | dict[str, "Json"]
Extra = Mapping[str, Any]

Role = Literal["produced", "explored"]
VERSION = 1
"""The format version of a record, its ``v``."""
STUB_REV = 0
"""The ``rev`` of a link stub, which is lower than that of any other record. A tombstone deletes records up to
its own ``rev``, so one with this ``rev`` deletes only the stub."""
Evidence = Literal["manual", "agent", "output", "order", "content", "imported", "environment"]
"""Kinds of evidence, from the strongest to the weakest. Older records have ``imported`` instead of ``order``,
and ``agent`` instead of ``environment``."""
ThinkingState = Literal["sealed", "clear", "dropped", "none"]
CostSource = Literal["reported", "estimated", "unknown"]
FileKind = Literal["add", "update", "delete", "rename"]
RunKind = Literal["test", "build", "typecheck", "lint"]
RunOutcome = Literal["passed", "failed", "error", "unknown", "none"]
Scope = Literal["commit", "all"]


T = TypeVar("T")


def _sum(one: T, other: T) -> T:
    names = [f.name for f in dataclasses.fields(one)]  # type: ignore[arg-type]
    return type(one)(**{n: getattr(one, n) + getattr(other, n) for n in names})


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """Tokens of model calls. ``input_tokens`` does not count cached ones, ``output_tokens`` does count
    ``reasoning_tokens``; the reader of each log converts its vendor's way of counting."""

    input_tokens: int = 0
    cache_read_tokens: int = 0
    cache_write_tokens: int = 0
    output_tokens: int = 0
    reasoning_tokens: int = 0

    def __add__(self, other: "Usage") -> "Usage":
        return _sum(self, other)

    def without(self, other: "Usage") -> "Usage":
        """Return the difference; a field that would be below zero is zero."""
        names = [f.name for f in dataclasses.fields(self)]
        return Usage(**{n: max(getattr(self, n) - getattr(other, n), 0) for n in names})


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """A choice. ``by`` is its source: ``agent``, ``human``, ``inferred`` or ``model:NAME``. An inferred
    decision has the ``quote`` that it was inferred from and the ``event`` with that text. ``path`` and
    ``line`` are what it is about."""

    chosen: str
    by: str
    question: str | None = None
    alternatives: tuple[str, ...] = ()
    reasoning: str | None = None
    confidence: float | None = None
    quote: str | None = None
    event: str | None = None
    path: str | None = None
    line: int | None = None
    extra: Extra = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class CaveatSource:
    """The source of a caveat: the ``event`` that states it, and the file and line that it names."""

    event: str
    by: str
    path: str | None = None
    line: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Retrospective:
    by: str
    summary: str | None = None
    approach: str | None = None
    challenges: tuple[str, ...] = ()
    learnings: tuple[str, ...] = ()
    suggestions: tuple[str, ...] = ()
    confidence: float | None = None
    extra: Extra = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    text: str
    by: str


@dataclass(frozen=True, slots=True, kw_only=True)
class FileTouched:
    """A file that an event wrote: ``path`` is relative to the repository, with ``/``."""

    path: str
    kind: FileKind = "update"


@dataclass(frozen=True, slots=True, kw_only=True)
class Artifact:
    """A description of bytes that are not stored (an image, an output that the agent moved to a file)."""

    media_type: str
    bytes: int
    sha256: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """The fields of every kind of event. ``id`` is made of the id of the log's record and the number of the
    block in it. ``response`` is the id of the model call that produced the event; only one event of each call
    has its ``usage``. ``raw`` is further data, for which no event has a field. ``significance`` is ``low``,
    ``medium``, ``high`` or ``critical``. ``parent`` is the id of the event or call that this one belongs to,
    such as the call that started a subagent."""

    id: str
    ts: str | None = None
    content: str = ""
    agent: str | None = None
    model: str | None = None
    response: str | None = None
    usage: Usage | None = None
    duration_ms: int | None = None
    raw: Json = None
    significance: str | None = None
    tags: tuple[str, ...] = ()
    files: tuple[FileTouched, ...] = ()
    parent: str | None = None
    artifact: Artifact | None = None
    extra: Extra = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompt(Event):
    """A prompt by a human."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Thinking(Event):
    """The agent's thinking. If the text is sealed for named readers, ``content`` is empty, ``seal`` is the
    name of the seal and ``sealed_bytes`` its size (the text's own size would reveal too much); one event of
    each seal has the ``payload``."""

    seal: str | None = None
    sealed_bytes: int | None = None
    payload: bytes | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Message(Event):
    """A message by the agent."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolCall(Event):
    name: str
    arguments: Json = None
    call_id: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolResult(Event):
    call_id: str | None = None
    exit_code: int | None = None
    is_error: bool = False
    truncated: bool = False
    bytes: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PeerMessage(Event):
    """A message to or from another agent: ``agent`` is its sender, ``recipient`` its receiver."""

    direction: Literal["sent", "received"]
    recipient: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Decided(Event):
    decision: Decision


@dataclass(frozen=True, slots=True, kw_only=True)
class NoteEvent(Event):
    """A remark. A ``chapter`` has the title of the events that follow. A ``refusal`` has the call that a
    person did not allow and, from the second line on, what the person said about it."""

    kind: Literal[
        "finding", "note", "error", "compaction", "verification", "checkpoint", "chapter", "refusal"
    ]


@dataclass(frozen=True, slots=True, kw_only=True)
class RetrospectiveEvent(Event):
    retrospective: Retrospective


@dataclass(frozen=True, slots=True, kw_only=True)
class Foreign(Event):
    """An event of a type that this version does not know; it is preserved."""

    type: str


AnyEvent = (
    Prompt
    | Thinking
    | Message
    | ToolCall
    | ToolResult
    | PeerMessage
    | Decided
    | NoteEvent
    | RetrospectiveEvent
    | Foreign
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Chapter:
    id: str
    title: str
    events: tuple[AnyEvent, ...]
    agent_name: str | None = None
    started_at: str | None = None
    ended_at: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskSource:
    system: str
    id: str
    url: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskRef:
    title: str
    source: TaskSource | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Participant:
    name: str
    role: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Parent:
    """The trajectory that this one was forked from, resumed from or started by, and the event in it at which
    that happened."""

    id: str
    event: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Environment:
    entrypoint: str | None = None
    ci: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """A run of a benchmark: ``solve`` is the id of the attempt, ``instance`` that of the problem.
    ``messages`` and ``api_calls`` are the numbers that the log states."""

    id: str
    solve: str | None = None
    instance: str | None = None
    messages: int | None = None
    api_calls: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Exit:
    status: str | None = None
    submission: str | None = None
    error: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionInfo:
    """The facts about the whole session that were known when a part of it was written."""

    title: str | None = None
    agent: str | None = None
    agent_version: str | None = None
    models: tuple[str, ...] = ()
    session: str | None = None
    task: TaskRef | None = None
    tags: tuple[str, ...] = ()
    participants: tuple[Participant, ...] = ()
    parent: Parent | None = None
    aliases: tuple[str, ...] = ()
    environment: Environment | None = None
    run: Run | None = None
    status: str | None = None
    exit: Exit | None = None
    retrospective: Retrospective | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Range:
    """The position of a part in its log: the ids of its ``first`` and ``last`` event, the number ``n`` of
    events, and the position ``at`` of the first one (None for an event outside a log)."""

    first: str
    last: str
    n: int
    at: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Trajectory:
    """One agent session, or one piece of work that was recorded only by commands (``git traj start``), or
    (with ``span``) a part of one."""

    id: str
    whole: SessionInfo
    chapters: tuple[Chapter, ...] = ()
    span: Range | None = None
    prompt: str | None = None
    """The prompt of the first event's turn, if the part does not contain it."""

    @property
    def events(self) -> tuple[AnyEvent, ...]:
        return tuple(e for c in self.chapters for e in c.events)


@dataclass(frozen=True, slots=True, kw_only=True)
class SegmentRef:
    """A segment: ``name`` below its trajectory's folder on the data ref of ``month`` (``YYYY-MM``)."""

    name: str
    month: str
    bytes: int
    sha256: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Link:
    evidence: Evidence
    call: str | None = None
    carried_from: tuple[str, ...] = ()

    @property
    def maker(self) -> str | None:
        """The call that made the commit. With the evidence ``content``, ``call`` only wrote the content."""
        return None if self.evidence == "content" else self.call


@dataclass(frozen=True, slots=True, kw_only=True)
class Origin:
    commit: str
    patch_id: str | None = None
    tree: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Counts:
    prompts: int = 0
    messages: int = 0
    thinking: int = 0
    tool_calls: int = 0
    api_calls: int = 0
    errors: int = 0
    subagents: int = 0
    dropped: int = 0
    """Calls left out because they worked in another repository."""
    outside: int = 0
    """Outputs left out because their calls may have read outside the repository."""
    omitted: int = 0
    """Events left out of the segments because these are full (``traj.maxSegmentBytes``)."""
    runs: int = 0
    """Runs of an agent's loop, if its log has them."""
    verifications: int = 0
    artifacts: int = 0
    checkpoints: int = 0
    malformed: int = 0
    """Answers that an agent's program could not parse, if its log says so."""

    def __add__(self, other: "Counts") -> "Counts":
        return _sum(self, other)


@dataclass(frozen=True, slots=True, kw_only=True)
class TestRuns:
    """The number of ``runs`` of one ``kind``, and the result of the last one; None means not recorded.

    ``ran``: the test runner started. The ``outcome`` is ``error`` for a run without a verdict, ``none`` for
    one that selected no test. ``last_exit`` is the exit status of the whole call; ``failed_before`` is the
    number of earlier runs that failed; ``edited_after``: files were edited after the last run.
    """

    __test__ = False  # not a test class, though its name begins like one

    runs: int = 0
    ran: bool | None = None
    kind: RunKind | None = None
    outcome: RunOutcome | None = None
    last_passed: int | None = None
    last_failed: int | None = None
    last_skipped: int | None = None
    last_errors: int | None = None
    last_exit: int | None = None
    failed_before: int | None = None
    edited_after: bool | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class FileChanged:
    """A file that a part wrote: ``lines`` counts the lines written, ``reverts`` the edits that undid the one
    before."""

    path: str
    kind: FileKind = "update"
    edits: int = 0
    reverts: int = 0
    lines: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PartSummary:
    """The summary of one part: its prompt, tokens, decisions, files. ``result`` is the sentence that states
    the outcome, ``why`` a reason that was stated, for example in a decision. ``caveat_sources`` has one entry
    for each of ``caveats``."""

    prompt: str | None = None
    summary: Summary | None = None
    started_at: str | None = None
    ended_at: str | None = None
    usage: Usage | None = None
    cost_usd: float | None = None
    cost_source: CostSource = "unknown"
    counts: Counts = Counts()
    decisions: tuple[Decision, ...] = ()
    caveats: tuple[str, ...] = ()
    caveat_sources: tuple[CaveatSource, ...] = ()
    result: str | None = None
    why: str | None = None
    tests: TestRuns | None = None
    files: tuple[FileChanged, ...] = ()
    struck: tuple[str, ...] = ()
    """Ids of inferred statements of this trajectory that a person says are wrong."""
    redactions_by_rule: Mapping[str, int] = field(default_factory=dict)
    ruleset: str | None = None
    thinking: ThinkingState = "none"


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """One line of a note: a part of a trajectory, and the evidence that links it to this commit.

    ``role``, ``link`` and ``origin`` belong to the commit and the key; everything else to the key. ``rev``
    is raised when a stored record changes; of several records of a key, the one with the highest ``rev``
    is valid. ``also`` are segments of earlier parts that wrote files of the commit; ``seals`` maps seals
    to their age headers; ``incomplete`` marks a stub; ``cut`` has the lengths of lists before they were
    shortened.
    """

    id: str
    link: Link
    v: int = VERSION
    rev: int = 1
    range: Range | None = None
    role: Role = "produced"
    origin: Origin | None = None
    segments: tuple[SegmentRef, ...] = ()
    also: tuple[SegmentRef, ...] = ()
    figures: PartSummary = field(default_factory=PartSummary, metadata={"flat": True})
    whole: SessionInfo = field(default_factory=SessionInfo, metadata={"flat": True})
    seals: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    incomplete: bool = False
    cut: Mapping[str, int] = field(default_factory=dict)
    extra: Extra = field(default_factory=dict)

    @property
    def key(self) -> "Key":
        return (self.id, self.range.first if self.range else None)

    @property
    def explains(self) -> bool:
        """Whether the record counts as work of its commit: the part led to the commit, and the record is not
        a link stub."""
        return self.role == "produced" and not self.incomplete


@dataclass(frozen=True, slots=True, kw_only=True)
class Tombstone:
    """A line that deletes one part (``first``) or all parts of a trajectory, from this commit (``unlink``) or
    from all commits (``forget``). ``deleted`` is the reason. Records with a higher ``rev`` are not deleted,
    unless the scope is ``all``. Only a tombstone deletes: a record that is merely missing is not deleted."""

    id: str
    deleted: str
    first: str | None = None
    rev: int = 1
    scope: Scope = "commit"
    v: int = VERSION
    extra: Extra = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ForeignLine:
    """A line of a note that another tool or a ``newer`` version wrote, or that is damaged. It is kept byte
    for byte, and ``why`` it was not understood is reported."""

    text: bytes
    why: str
    newer: bool = False


Key = tuple[str, str | None]
Line = Record | Tombstone | ForeignLine
