"""What explains an edit: the prompt above it, the decisions that it carries out, the words before it.

A decision is the reason of lines only if something binds it to them: it names them, their file or a symbol in
them, or it stands right before the edit that wrote them. One about another file or other code is not.
"""

from __future__ import annotations

import builtins
import posixpath
import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import chain, dropwhile
from keyword import kwlist

from gittraj.events.part_summary import PROMPT_LIMIT, shorten
from gittraj.frozen import dataclass
from gittraj.model.header import Header
from gittraj.model.values import AnyEvent, Decided, Message, Prompt, ToolCall
from gittraj.query.account import STATED, spell
from gittraj.query.why.session import Part, Session
from gittraj.query.why.written import Edit, is_one_of

_SAID = 225  # signs of a message above an edit
_SENTENCE_END = re.compile(r"(?<=[.!?])(?<!\b\d\.)(?<!\b\d\d\.)\s+(?=[A-Z`\"'*])")
_CHOOSES = re.compile(
    r"\b(?:I'll|I will|I'm|I am|going with|went with|cho(?:os|ice|se)\w*|decid\w+|pick\w*|prefer\w*"
    r"|safer|simpler|better|instead|rather than|because|since)\b"
)
_MOST = 2  # decisions that fit alike
_LINES = 2  # how far one that names the lines is about them
_CODE = re.compile(r"`([^`\n]+)`")
_SYMBOL = re.compile(r"\w+_\w+|[a-z]+[A-Z]\w*|[A-Z]+[a-z]+[A-Z]\w*|\w+(?=\()")
_WORD = re.compile(r"[^\W\d]\w+")
_COMMON = frozenset(("self", "this", "true", "false", "null", "const", "function", "string", "number"))
_COMMON |= {"boolean", "Array", "Map", "Object", "Promise", "Set", *kwlist}
_COMMON |= {name for name in dir(builtins) if name.islower()}
"""Words that many lines have, whatever they are about."""


@dataclass(frozen=True, slots=True)
class About:
    """Lines, and what a decision may name of them: their ``numbers`` (when they were committed) in the files
    ``paths``, their words; ``edit``: that is known to have written them."""

    session: Session
    paths: Collection[str]
    numbers: Collection[int]
    lines: Sequence[str]
    edit: Edit | None

    def names(self, decision: Header) -> int | None:
        """What it names: the lines or something in them (2), only their file (1), neither (0); None: it is
        about something else."""
        if decision["path"] and is_one_of(decision["path"], self.paths):
            line = decision["line"]
            reach = max((len(new) for _, new in self.edit.hunks), default=1) if self.edit else 1
            if line is None:
                return 1
            return _LINES if any(abs(line - number) < reach for number in self.numbers) else 0
        if decision["path"] and decision["by"] in STATED:  # what else was inferred to be one may be code
            return None
        chosen = f"{decision['question'] or ''} {decision['chosen']}"
        others = (decision["reasoning"], decision["quote"], *decision["alternatives"])
        told = " ".join(filter(None, (chosen, *others)))
        named = _has_name(told, self.paths)
        if not named and _has_name(told, self._others()):
            return None
        pieces = (piece for piece in _CODE.findall(chosen) if not _has_name(piece, self.paths))
        code = _words(pieces)
        if (code | {*_SYMBOL.findall(chosen)}) & _words(self.lines):
            return _LINES
        if named:
            return 1
        hunks = self.edit.hunks if self.edit else ()
        edited = _words(line for hunk in hunks for side in hunk for line in side)
        return 0 if not code or code & edited else None

    def _others(self) -> set[str]:
        """The other files that the session changed."""
        touched = {file["path"] for file in self.session.header["filesChanged"]}
        touched |= {f.path for e in self.session.events if isinstance(e, ToolCall) for f in e.files}
        return touched - {*self.paths}

    def doubts(self, header: Header) -> list[str]:
        """The caveats that name the lines, their file or something in them."""
        nothing = {"question": None, "reasoning": None, "quote": None, "alternatives": (), "by": "inferred"}
        places = (s or {"path": None, "line": None} for s in header["caveatSources"])
        found = zip(header["caveats"], places, strict=True)
        return [text for text, place in found if self.names({**place, **nothing, "chosen": text})]


def _has_name(text: str, paths: Collection[str]) -> bool:
    """Whether it names one of them, and no other file of that name in another folder."""
    names = "|".join(re.escape(posixpath.basename(path)) for path in paths)
    named = re.findall(rf"(?:[\w.-]+/)*(?<![\w.-])(?:{names})(?![\w-])", text) if names else ()
    return any(is_one_of(name, paths) for name in named)


def _words(texts: Iterable[str]) -> frozenset[str]:
    return frozenset(word for text in texts for word in _WORD.findall(text)) - _COMMON


def find_pinned(
    sessions: Iterable[Session], paths: Collection[str], numbers: Collection[int], *, anywhere: bool
) -> list[Header]:
    """What was decided about just these lines, ``anywhere`` also on purpose about their file."""
    found = [
        decision
        for session in sessions
        for decision in session.header["decisions"]
        if decision["path"] and is_one_of(decision["path"], paths)
        if decision["line"] in numbers or (anywhere and decision["by"] in STATED)
    ]
    return sorted(found, key=lambda decision: decision["line"] not in numbers)


def find_prompt(session: Session, part: Part, at: int) -> Prompt | None:
    """The last prompt above the call: in its part, else the one that matches its record's prompt."""
    for event in reversed(part.events[:at]):
        if isinstance(event, Prompt):
            return event
    prompts = (event for event in session.events if isinstance(event, Prompt))
    return next((p for p in prompts if part.prompt == shorten(p.content, PROMPT_LIMIT)), None)


def find_said(part: Part, at: int) -> str | None:
    """What the agent's last message above the call says, in the same turn."""
    own = part.events[at].agent
    for event in reversed([event for event in part.events[:at] if event.agent == own]):
        if isinstance(event, Prompt):
            return None
        if isinstance(event, Message) and event.content.strip():
            return _quote(event.content) or None
    return None


def _quote(message: str) -> str:
    """Of a long one the sentences up to the last that tells a choice, or that end it, nearest to the edit;
    headings, tables and code left out; a parser of Markdown takes longer to import than the answer."""
    lines = (line.strip() for line in message.splitlines())
    text = " ".join(" ".join(line for line in lines if not line.startswith(("#", "|", "`" * 3))).split())
    found = _SENTENCE_END.split(text)
    begin = max((i for i, each in enumerate(found) if _CHOOSES.search(each)), default=len(found) - 1)
    end = begin + 1
    while begin and len(" ".join(found[begin - 1 : end])) <= _SAID:
        begin -= 1
    while end < len(found) and len(" ".join(found[begin : end + 1])) <= _SAID:
        end += 1
    quoted = shorten(" ".join(found[begin:end]), PROMPT_LIMIT)
    return f"{'… ' * bool(begin)}{quoted}{' …' * (end < len(found))}"


Rank = tuple[int, bool, bool, bool, int]


def find_reasons(session: Session, part: Part, at: int, about: About) -> tuple[list[Header], set[str]]:
    """The decisions that the call at ``at`` carries out, and the ids of the events of those that were stated.
    What names its lines first, then what stands right before it, what names their file; of these what was
    stated on purpose, what stands before, nearest."""
    ranked: list[tuple[Rank, str | None, Header]] = []
    for own, (i, stated, decision) in ((p is part, d) for p in session.parts for d in _placed(session, p)):
        names = about.names(decision)
        beside = own and _is_beside(part.events, i, at, stated=stated is not None)
        if names or (names == 0 and beside):
            near = beside and not any(map(_is_edit, part.events[i:at]))
            weight = 0 if names == _LINES else 1 if near and i < at else 3 - names
            ranked.append(((weight, stated is None, not own, i > at, abs(i - at)), stated, decision))
    best = min((rank for rank, _, _ in ranked), default=None)
    chosen = [each for each in ranked if each[0] == best][:_MOST]
    return [decision for _, _, decision in chosen], {stated for _, stated, _ in chosen if stated}


def _is_beside(events: Sequence[AnyEvent], i: int, at: int, *, stated: bool) -> bool:
    """Whether what was decided at ``i`` stands right before the edit at ``at``, or before several of which
    it is one: of the same file or response, if it was not ``stated``. What was decided afterwards is about it
    if it is the only edit."""
    if i > at:
        return not any(map(_is_edit, chain(events[:at], events[at + 1 :])))
    first, *since = *dropwhile(lambda event: not _is_edit(event), events[i + 1 : at]), events[at]
    alike = first.response == since[-1].response is not None if since else True
    alike = alike or bool({file.path for file in first.files} & {file.path for file in events[at].files})
    return (stated or alike) and not any(isinstance(event, Message) for event in since)


def _is_edit(event: AnyEvent) -> bool:
    return isinstance(event, ToolCall) and bool(event.files)


def _placed(session: Session, part: Part) -> Iterator[tuple[int, str | None, Header]]:
    """The decisions of a part, each with the index of its event, which has its id where it was stated."""
    inferred = [d for d in session.header["decisions"] if d["by"] not in STATED and d["event"]]
    for i, event in enumerate(part.events):
        if isinstance(event, Decided):
            yield i, event.id, spell(event.decision)
        elif isinstance(event, Message):
            yield from ((i, None, decision) for decision in inferred if decision["event"] == event.id)
