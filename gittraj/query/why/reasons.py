"""What explains an edit: the prompt above it, the decisions that it carries out, the words before it.

A decision is an edit's reason by its place (the same turn, before it) and by what it names. One that names
another file of the session is not.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Collection, Iterator, Sequence

from gittraj.events.part_summary import PROMPT_LIMIT, shorten
from gittraj.frozen import dataclass
from gittraj.model.header import Header
from gittraj.model.values import Decided, Message, Prompt, ToolCall
from gittraj.query.account import STATED, spell
from gittraj.query.why.session import Part, Session

_SAID = 2  # sentences of a message above an edit
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+(?=[A-Z`\"'*])")
_MOST = 2  # decisions that fit alike
_WORD = re.compile(r"[A-Za-z_]\w{3,}")
_COMMON = frozenset(
    re.findall(r"\w+", "self this that with from then else true false none null return import")
)
"""Words that most lines have."""


@dataclass(frozen=True, slots=True)
class About:
    """What a decision about lines may name: their file's ``names``, their ``words``; ``others``: names of
    files that the same session changed."""

    names: frozenset[str]
    others: frozenset[str]
    words: frozenset[str]

    @classmethod
    def of(cls, session: Session, paths: Collection[str], lines: Sequence[str]) -> About:
        names = frozenset(map(posixpath.basename, paths))
        touched = {file["path"] for file in session.header["filesChanged"]}
        touched |= {f.path for e in session.events if isinstance(e, ToolCall) for f in e.files}
        words = {word.lower() for line in lines for word in _WORD.findall(line)}
        others = frozenset(map(posixpath.basename, touched)) - names
        return cls(names, others, frozenset(words) - _COMMON)

    def fits(self, decision: Header) -> bool | None:
        """Whether it names the file or a word of the lines; None: it is about another file."""
        if decision["path"]:
            return True if posixpath.basename(decision["path"]) in self.names else None
        sides = (decision["question"], decision["chosen"], *decision["alternatives"], decision["reasoning"])
        text = " ".join(filter(None, (*sides, decision["quote"])))
        if any(name in text for name in self.names):
            return True
        if any(name in text for name in self.others):
            return None
        return bool(self.words & {word.lower() for word in _WORD.findall(text)})


def find_prompt(session: Session, part: Part, at: int) -> Prompt | None:
    """The last prompt above the call: in its part, else the one that matches its record's prompt."""
    for event in reversed(part.events[:at]):
        if isinstance(event, Prompt):
            return event
    prompts = (event for event in session.events if isinstance(event, Prompt))
    return next((p for p in prompts if part.prompt == shorten(p.content, PROMPT_LIMIT)), None)


def find_said(part: Part, at: int) -> str | None:
    """The first sentences of the agent's last message above the call, in the same turn."""
    own = part.events[at].agent
    for event in reversed([event for event in part.events[:at] if event.agent == own]):
        if isinstance(event, Prompt):
            return None
        if isinstance(event, Message) and event.content.strip():
            return _first_sentences(event.content) or None
    return None


def _first_sentences(message: str) -> str:
    """Headings, tables and code left out; a parser of Markdown takes longer to import than the answer."""
    lines = (line.strip() for line in message[:PROMPT_LIMIT].splitlines())
    text = " ".join(" ".join(line for line in lines if not line.startswith(("#", "|", "`" * 3))).split())
    return " ".join(_SENTENCE_END.split(text)[:_SAID])


Rank = tuple[bool, bool, bool, bool, int]


def find_reasons(session: Session, part: Part, at: int, about: About) -> tuple[list[Header], set[str]]:
    """The decisions that the call at ``at`` carries out, and the ids of the events of those that were stated.
    Its turn's first, then what names its lines, what was stated on purpose, what stands before, nearest."""
    turns, turn = [], 0
    for event in part.events:
        turn += isinstance(event, Prompt)
        turns.append(turn)
    ranked: list[tuple[Rank, str | None, Header]] = []
    for i, stated, decision in _placed(session, part):
        fits = about.fits(decision)
        if fits is not None:
            rank = (turns[i] != turns[at], not fits, stated is None, i > at, abs(i - at))
            ranked.append((rank, stated, decision))
    if not ranked:
        return [], set()
    best = min(rank for rank, _, _ in ranked)
    chosen = [each for each in ranked if each[0] == best][:_MOST]
    return [decision for _, _, decision in chosen], {stated for _, stated, _ in chosen if stated}


def _placed(session: Session, part: Part) -> Iterator[tuple[int, str | None, Header]]:
    """The decisions of a part, each with the index of its event, which has its id where it was stated."""
    inferred = [d for d in session.header["decisions"] if d["by"] not in STATED and d["event"]]
    for i, event in enumerate(part.events):
        if isinstance(event, Decided):
            yield i, event.id, spell(event.decision)
        elif isinstance(event, Message):
            yield from ((i, None, decision) for decision in inferred if decision["event"] == event.id)
