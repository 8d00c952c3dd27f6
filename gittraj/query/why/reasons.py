"""Finds what explains an edit: the prompt above it, the decisions that it carries out, the message before it.

A decision is the reason for lines only if something ties it to them: it names the lines, their file or a
symbol in them, or it is right before the edit that wrote them. A decision about another file or other code is
not.
"""

from __future__ import annotations

import builtins
import posixpath
import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import chain, dropwhile
from keyword import kwlist

from gittraj.events.announced import announces
from gittraj.events.part_summary import PROMPT_LIMIT, shorten
from gittraj.frozen import dataclass
from gittraj.model.header import Header
from gittraj.model.values import AnyEvent, Decided, Message, Prompt, ToolCall
from gittraj.query.account import STATED, spell
from gittraj.query.why.origins import Origin, leave_strangers
from gittraj.query.why.session import Part, Session
from gittraj.query.why.written import is_one_of

_SAID = 225  # characters that are quoted of a message above an edit
_SENTENCE_END = re.compile(r"(?<=[.!?])(?<!\b\d\.)(?<!\b\d\d\.)\s+(?=[A-Z`\"'*])")
_CHOOSES = re.compile(
    r"\b(?:I'll|I will|I'm|I am|(?i:going with|went with|cho(?:os|ice|se)\w*|decid\w+|pick\w*|prefer\w*)"
    r"|safer|simpler|better|instead|rather than|because|since)\b"
)
_MOST = 2  # the maximum number of decisions, all of which fit equally well
_LINES = 2  # the relevance of a decision that names the lines
_CODE = re.compile(r"`([^`\n]+)`")
_SYMBOL = re.compile(r"\w+_\w+|[a-z]+[A-Z]\w*|[A-Z]+[a-z]+[A-Z]\w*|\w+(?=\()")
_WORD = re.compile(r"[^\W\d]\w+")
_COMMON = frozenset(("self", "this", "true", "false", "null", "const", "function", "string", "number"))
_COMMON |= {"boolean", "Array", "Map", "Object", "Promise", "Set", *kwlist}
_COMMON |= {name for name in dir(builtins) if name.islower()}
"""Words that many lines have, whatever they are about."""


def names(origin: Origin, decision: Header) -> int | None:
    """Return what the decision names: the lines or something in them (2), only their file (1), neither (0);
    None if it is about something else."""
    if decision["path"] and is_one_of(decision["path"], origin.paths):
        return 1 if decision["line"] is None else _LINES if decision["line"] in origin.places else None
    if decision["path"] and decision["by"] in STATED:  # an inferred path may be code
        return None
    chosen = f"{decision['question'] or ''} {decision['chosen']}"
    others = (decision["reasoning"], decision["quote"], *decision["alternatives"])
    text = " ".join(filter(None, (chosen, *others)))
    named = _has_name(text, origin.paths)
    return None if not named and _has_name(text, origin.others) else _compare(origin, chosen, named=named)


def _compare(origin: Origin, chosen: str, *, named: bool) -> int | None:
    """Compare the code in the choice with the lines and the edit; the result is that of ``names``."""
    code = _words(piece for piece in _CODE.findall(chosen) if not _has_name(piece, origin.paths))
    if (code | {*_SYMBOL.findall(chosen)}) & _words(origin.lines):
        return _LINES
    edited = _words(line for hunk in origin.hunks for side in hunk for line in side)
    return 1 if named else None if code and not code & edited else 0


def find_doubts(origin: Origin, header: Header) -> list[str]:
    """Return the caveats that name the lines, their file or something in them."""
    nothing = {"question": None, "reasoning": None, "quote": None, "alternatives": (), "by": "inferred"}
    sources = (source or {"path": None, "line": None} for source in header["caveatSources"])
    caveats = zip(header["caveats"], sources, strict=True)
    return [text for text, source in caveats if names(origin, {**source, **nothing, "chosen": text})]


def _has_name(text: str, paths: Collection[str]) -> bool:
    """Whether the text names one of ``paths``, and not a file of the same name in another folder."""
    names = "|".join(re.escape(posixpath.basename(path)) for path in paths)
    named = re.findall(rf"(?:[\w.-]+/)*(?<![\w.-])(?:{names})(?![\w-])", text) if names else ()
    return any(is_one_of(name, paths) for name in named)


def _words(texts: Iterable[str]) -> frozenset[str]:
    return frozenset(word for text in texts for word in _WORD.findall(text)) - _COMMON


def find_pinned(origin: Origin) -> list[Header]:
    """Return the decisions about exactly these lines; if no edit wrote them, also stated decisions about
    their file."""
    pinned = [
        decision
        for session in leave_strangers(origin.sessions)
        for decision in session.header["decisions"]
        if decision["path"] and is_one_of(decision["path"], origin.paths)
        if decision["line"] in origin.places or (origin.edit is None and decision["by"] in STATED)
    ]
    return sorted(pinned, key=lambda decision: decision["line"] not in origin.places)


def find_prompt(session: Session, part: Part, at: int) -> Prompt | None:
    """Return the last prompt above the call: in its part, or else the prompt that the part's record has."""
    above = (event for event in reversed(part.events[:at]) if isinstance(event, Prompt))
    prompts = (event for event in session.events if isinstance(event, Prompt))
    alike = (prompt for prompt in prompts if part.prompt == shorten(prompt.content, PROMPT_LIMIT))
    return next(chain(above, alike), None)


def find_said(part: Part, at: int) -> str | None:
    """Return a quote from the agent's last message above the call, in the same turn."""
    above = (event for event in reversed(part.events[:at]) if event.agent == part.events[at].agent)
    said = (e for e in above if isinstance(e, Prompt) or (isinstance(e, Message) and e.content.strip()))
    last = next(said, None)
    return _quote(last.content) or None if isinstance(last, Message) else None


def _quote(message: str) -> str:
    """Return the sentences of a message around the most telling one, without headings, tables and code. A
    Markdown parser is not used: to import one takes longer than the answer."""
    lines = (line.strip() for line in message.splitlines())
    text = " ".join(" ".join(line for line in lines if not line.startswith(("#", "|", "`" * 3))).split())
    sentences = _SENTENCE_END.split(text)
    begin = _find_telling(sentences)
    end = begin + 1
    while begin and len(" ".join(sentences[begin - 1 : end])) <= _SAID:
        begin -= 1
    while end < len(sentences) and len(" ".join(sentences[begin : end + 1])) <= _SAID:
        end += 1
    quoted = shorten(" ".join(sentences[begin:end]), PROMPT_LIMIT)
    return f"{'… ' * bool(begin)}{quoted}{' …' * (end < len(sentences))}"


def _find_telling(sentences: Sequence[str]) -> int:
    """Return the index of the last action that is announced with a reason, else of the last choice, else of
    the last sentence."""
    reasoned = [i for i, each in enumerate(sentences) if announces(each.rstrip("."))]
    chosen = [i for i, each in enumerate(sentences) if _CHOOSES.search(each)]
    return (reasoned or chosen or [len(sentences) - 1])[-1]


@dataclass(frozen=True, slots=True)
class _Placed:
    """A decision at index ``at`` of a part; ``stated`` is the id of its event, if it was stated
    explicitly."""

    decision: Header
    part: Part
    at: int
    stated: str | None = None


def find_reasons(session: Session, part: Part, at: int, origin: Origin) -> tuple[list[Header], set[str]]:
    """Return the decisions that the call at ``at`` carries out, and the ids of the events of the stated ones.

    The best decisions name the call's lines; next are those right before it, or stated about a file that only
    this call edits; then those that name the file. Among equals, stated decisions come first, then those of
    the same part, then those before the call, then the nearest.
    """
    ranked = [(_rank(placed, origin, part, at), placed) for placed in _place(session)]
    best = min((rank for rank, _ in ranked if rank), default=None)
    chosen = [placed for rank, placed in ranked if rank and rank == best][:_MOST]
    return [placed.decision for placed in chosen], {placed.stated for placed in chosen if placed.stated}


def _rank(placed: _Placed, origin: Origin, part: Part, at: int) -> tuple[int, ...] | None:
    """Return a sort key, the best first; None if the decision is not a reason for the call at ``at`` of
    ``part``."""
    named, i, own = names(origin, placed.decision), placed.at, placed.part is part
    beside = own and _is_beside(part.events, i, at, stated=placed.stated is not None)
    if named is None or not (named or beside):
        return None
    near = beside and i < at and not any(map(_is_edit, part.events[i:at]))
    only = placed.stated and named and own and _is_only(part.events, at)
    weight = _weigh(named, is_close=any((near, only)))
    return weight, placed.stated is None, not own, i > at, abs(i - at)


def _weigh(named: int, *, is_close: bool) -> int:
    if named == _LINES:
        return 0
    return 1 if is_close else 3 - named


def _is_beside(events: Sequence[AnyEvent], i: int, at: int, *, stated: bool) -> bool:
    """Whether the decision at ``i`` is right before the edit at ``at``, or before several edits of which this
    edit is one: of the same file or response, if the decision was not ``stated``. A later decision is about
    the edit if there is no other edit."""
    if i > at:
        return not any(map(_is_edit, chain(events[:at], events[at + 1 :])))
    since = [*dropwhile(lambda event: not _is_edit(event), events[i + 1 : at]), events[at]]
    if any(isinstance(event, Message) for event in since):
        return False
    return stated or not _kin(since[0]).isdisjoint(_kin(events[at]))


def _is_only(events: Sequence[AnyEvent], at: int) -> bool:
    """Whether no other call edits the files of the call at ``at``."""
    paths = {file.path for file in events[at].files}
    return sum(_is_edit(event) and not _kin(event).isdisjoint(paths) for event in events) == 1


def _kin(event: AnyEvent) -> set[str]:
    """Return the event's response and its files: edits that have one of them in common belong together."""
    return {event.response or event.id, *(file.path for file in event.files)}


def _is_edit(event: AnyEvent) -> bool:
    return isinstance(event, ToolCall) and bool(event.files)


def _place(session: Session) -> Iterator[_Placed]:
    inferred = [d for d in session.header["decisions"] if d["by"] not in STATED and d["event"]]
    for part in session.parts:
        for i, event in enumerate(part.events):
            if isinstance(event, Decided):
                yield _Placed(spell(event.decision), part, i, event.id)
            elif isinstance(event, Message):
                yield from (_Placed(each, part, i) for each in inferred if each["event"] == event.id)
