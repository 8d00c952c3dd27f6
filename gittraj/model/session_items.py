"""The items of a session's log, which the readers in ``formats`` yield and on which ``capture`` decides.

A reader yields, in the log's order, events with what only linking needs and is not stored
(:class:`Entry`), facts about the session (:class:`Fact`), what a model call cost
(:class:`Spent`) and where a turn ended (:class:`TurnEnd`). None of this is stored in this form.
"""

from collections.abc import Mapping
from dataclasses import field
from typing import Any

from gittraj.frozen import dataclass
from gittraj.model.values import AnyEvent, FileKind, Usage
from gittraj.startup import sha256

ASKING = "git-traj asks: "
"""How each of our questions to an agent begins: a log may record them like a human's prompts."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Edit:
    """A file that one call changed. ``path`` is as in the log: often absolute, or relative to the call's
    folder. ``added`` are the lines that the call wrote; ``whole`` is the entire new text and ``before`` the
    entire old one, if they are known."""

    path: str
    kind: FileKind = "update"
    added: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    whole: str | None = None
    before: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """An event of the log. ``end`` is the byte offset after its record.

    ``edits`` belong to the call that wrote them, and are dropped if its result says that they were
    refused. ``command`` is the shell command of a call, ``folder`` the folder it ran in (absolute),
    ``paths`` the file paths among its arguments. ``commits`` are the ids that a result printed as
    newly made (``[main 1a2b3c4] subject``, and ids that the agent's own log marks as commits).
    ``session`` is set where the record names another session than the file's: a copy made by a
    resume or a fork. ``call`` is the id of the call whose command recorded this event. ``on`` is the full
    id of the commit that this event and those before it led to, in a log that has one entry per commit.
    ``prints``: the ``commits`` of the call's result prove that it committed, whatever its command was.
    """

    event: AnyEvent
    end: int
    edits: tuple[Edit, ...] = ()
    command: str | None = None
    folder: str | None = None
    paths: tuple[str, ...] = ()
    commits: tuple[str, ...] = ()
    session: str | None = None
    call: str | None = None
    on: str | None = None
    prints: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnEnd:
    """The agent's turn ended after the entry before this."""

    end: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Spent:
    """The cost of the model call ``response`` so far; a later item for the same response replaces it.

    ``beside`` is true if the log has the usage in a separate record after the response's events, and not in
    the record of an event. ``cost`` is in US dollars, if the log itself states it. ``cumulative``: it counts
    the whole session so far, including its other logs.
    """

    response: str
    usage: Usage
    beside: bool = False
    cost: float | None = None
    cumulative: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """A fact about the session, which is known from here on. The last fact of each name counts; of
    ``session``, ``started_at`` and ``parent`` the first.

    Names: ``session``, ``agent_version``, ``model`` (each that occurs), ``title``, ``folder`` (cwd),
    ``container_folder`` (cwd in a container), ``branch``, ``entrypoint``, ``parent_session``, ``parent_kind``
    (fork, subagent, resumed), ``subagent``, ``start_commit``, ``started_at``, ``repository`` (its URL),
    ``status`` (completed, abandoned, failed), ``ended`` (the status as its author stated it: it overrides the
    log's), ``turns`` (the log marks their ends), ``alias`` (each that occurs), ``tag`` (each),
    ``participant`` (each, ``NAME`` or ``NAME:ROLE``), ``task``, ``task_title``, ``task_url``. Interchange
    formats also state ``trajectory`` (its id) and ``parent`` (the id of another trajectory).

    Some logs state facts only about the whole run: ``cost_usd`` (the total in US dollars), ``run``,
    ``solve`` and ``instance`` (ids of a benchmark's run), ``messages`` (how many the log has),
    ``api_calls``, ``exit_status``, ``exit_error``, ``submission`` (the final text).
    """

    name: str
    value: str | float


@dataclass(frozen=True, slots=True, kw_only=True)
class Damage:
    """Bytes that could not be read: ``why``, at byte offset ``at``. A partial last line does not count."""

    at: int
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Cursor:
    """The position at which a reader may start again: a byte offset, the ordinal of the next event, and the
    reader's own state. ``print`` is a fingerprint of the (up to) 4 kB before the offset, by which a rewritten
    log is noticed. ``added`` is the number of events before it that were parsed out of another event's
    text."""

    offset: int = 0
    ordinal: int = 0
    added: int = 0
    print: str = ""
    state: Mapping[str, Any] = field(default_factory=dict)


START = Cursor()
"""The start of a log."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Mark:
    """A reader may start again here, before a human prompt."""

    cursor: Cursor


Item = Entry | TurnEnd | Spent | Fact | Damage | Mark


def is_unique(event: str) -> bool:
    """Whether an event's id is unique beyond its session: many formats only number their events."""
    return len(event) >= _UNIQUE


_UNIQUE = 24


def trajectory_id(agent: str, session: str, subagent: str | None = None) -> str:
    """Return the trajectory's id, on which every capture and every later import of a session agree: ``traj_``
    and lower-case base32 of the first 10 bytes of SHA-256 over the names, joined by NUL."""
    import base64  # noqa: PLC0415 - few processes need it

    names = [agent, session] if subagent is None else [agent, session, subagent]
    digest = sha256("\0".join(names).encode("utf-8", "replace")).digest()
    return "traj_" + base64.b32encode(digest[:10]).decode().lower()
