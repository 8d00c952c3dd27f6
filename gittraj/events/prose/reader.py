"""Reads what the messages of a part say about the work, for its record.

Only messages are read: thinking may be sealed, and what was inferred from it would leak it.
"""

from __future__ import annotations

import re
from collections.abc import Container, Sequence
from dataclasses import dataclass
from itertools import islice, zip_longest

from gittraj.events.prose.choice import Choice
from gittraj.events.prose.choices import find_choices, find_refused, scraps
from gittraj.events.prose.claims import words
from gittraj.events.prose.doubts import find_doubts
from gittraj.events.prose.outcome import find_announced, find_reason, find_result
from gittraj.events.runs.fold import command_of
from gittraj.model.values import AnyEvent, CaveatSource, Decision, Message, Prompt, ToolCall

MOST_DECISIONS = 8
MOST_CAVEATS = 12
_SHORT = 160
"""Characters of a choice with its reason, in a line of a list."""
_COMMIT = re.compile(
    r"(?:^|[;&|(\n]|-\w*c ')[ \t]*git(?:\s+-[cC]\s+\S+|\s+-\S+){0,9}+"
    r"\s+commit(?![\w-])(?![^;&|\n]{0,200}--dry-run)"
)
_FILE = re.compile(r"(?<![\w/.-])((?:[\w.-]+/)*[\w-]+\.[A-Za-z]\w{0,7})(?::(\d{1,7}))?(?![\w/])")
_EXTENSION = re.compile(r"\.(?:com|org|net|io|dev|\d+|g|e)$", re.I)


@dataclass(frozen=True, slots=True)
class Prose:
    decisions: tuple[Decision, ...] = ()
    caveats: tuple[str, ...] = ()
    sources: tuple[CaveatSource, ...] = ()
    result: str | None = None
    why: str | None = None


def read_prose(
    events: Sequence[AnyEvent],
    stated: Sequence[Decision],
    prompt: str | None,
    *,
    committing: Container[str] = (),
) -> Prose:
    """What the messages say beside the ``stated`` decisions; ``prompt``: what the user asked for;
    ``committing``: the calls that made the commits."""
    spoken = _find_spoken(events, committing)
    choices, decisions, doubts, refused = _read_messages(spoken, prompt)
    caveats = dict(islice(_fullest(doubts).items(), MOST_CAVEATS))
    reasoned = [choice.quote for choice in choices if choice.reason]
    reasons = (_with_choice(decision.chosen, decision.reasoning) for decision in stated if decision.reasoning)
    return Prose(
        decisions=_once(decisions)[:MOST_DECISIONS],
        caveats=tuple(caveats),
        sources=tuple(caveats.values()),
        result=find_result(
            [said.text for said in spoken],
            without={*doubts, *reasoned},
            choices={choice.quote for choice in choices},
        ),
        why=next(reasons, None)
        or find_reason(_closing(spoken), choices, without={*doubts, *refused})
        or find_announced([(said.text, said.edits) for said in spoken], without={*doubts, *refused}),
    )


@dataclass(frozen=True, slots=True)
class _Spoken:
    """A message, and its place: whether it was said ``on_the_way`` to a call, right before one that ``edits``
    files, and ``at_work``, in a turn that wrote files."""

    event: str
    text: str
    on_the_way: bool
    edits: bool
    at_work: bool


def _find_spoken(events: Sequence[AnyEvent], committing: Container[str]) -> list[_Spoken]:
    """What is said before the last call of all closes the work, if that is ``committing``, or commits."""
    at_work = _said_at_work(events)
    steps = [event for event in events if isinstance(event, Prompt | Message | ToolCall)]
    last = steps[-1] if steps else None
    closes = isinstance(last, ToolCall) and ((last.call_id or last.id) in committing or _commits(last))
    return [
        _Spoken(
            event=step.id,
            text=step.content,
            on_the_way=isinstance(then, ToolCall) and not (closes and then is last),
            edits=then is not None and bool(then.files),
            at_work=step.id in at_work,
        )
        for step, then in zip_longest(steps, steps[1:])
        if isinstance(step, Message) and step.content.strip()
    ]


def _commits(call: ToolCall) -> bool:
    return bool(_COMMIT.search(command_of(call)))


def _read_messages(
    spoken: Sequence[_Spoken], prompt: str | None
) -> tuple[list[Choice], list[Decision], dict[str, CaveatSource], set[str]]:
    """What each says, in order: choices, the same as decisions, and doubts; and the sentences that state a
    choice no longer, as the next sentence or message takes it back."""
    choices: list[Choice] = []
    decisions: list[Decision] = []
    doubts: dict[str, CaveatSource] = {}
    refused: set[str] = set()
    for said, then in zip_longest(spoken, spoken[1:]):
        found = find_choices(said.text, prompt, own=said.on_the_way or not said.at_work)
        quotes = {choice.quote for choice in found}
        refused |= find_refused(said.text)
        if then and scraps(then.text):
            refused |= quotes
        else:
            choices += found
            decisions += [_decision(choice, said.event) for choice in found]
        for quote in find_doubts(said.text, without=quotes, on_the_way=said.on_the_way, edits=said.edits):
            path, line = _file(quote)
            source = CaveatSource(event=said.event, by="inferred", path=path, line=line)
            doubts.setdefault(quote, source)
    return choices, decisions, doubts, refused


def _with_choice(chosen: str, reasoning: str) -> str:
    """The reason with the choice, if both are short: ``no size to tune`` alone does not say of what."""
    said = f"{chosen}, because {reasoning}"
    return said if len(said) <= _SHORT else reasoning


def _closing(spoken: Sequence[_Spoken]) -> list[str]:
    """On the way to a call an agent explains what it sees; what it did and why, when it is done."""
    return [said.text for said in spoken if said.at_work and (not said.on_the_way or said is spoken[-1])]


def _said_at_work(events: Sequence[AnyEvent]) -> frozenset[str]:
    """The messages of the turns that wrote files, if any did: in the others questions were answered."""
    turns: list[list[AnyEvent]] = [[]]
    for event in events:
        if isinstance(event, Prompt):
            turns.append([])
        turns[-1].append(event)
    wrote = [turn for turn in turns if any(event.files for event in turn)] or turns
    return frozenset(event.id for turn in wrote for event in turn if isinstance(event, Message))


def _once(decisions: Sequence[Decision]) -> tuple[Decision, ...]:
    """The decisions without repetitions, as by a closing summary: of equal ones, the one with a reason."""
    found: list[Decision] = []
    for decision in decisions:
        at = next((at for at, former in enumerate(found) if _is_same(former, decision)), None)
        if at is None:
            found.append(decision)
        elif decision.reasoning and not found[at].reasoning:
            found[at] = decision
    return tuple(found)


def _is_same(one: Decision, two: Decision) -> bool:
    half = bool(one.alternatives) and not (one.reasoning and two.reasoning)
    half &= "`" not in one.chosen + two.chosen  # names differ by less than half
    others = ("; ".join(one.alternatives), "; ".join(two.alternatives))
    return _says_same(*others) and _says_same(one.chosen, two.chosen, half=half)


def _says_same(a: str, b: str, *, half: bool = False) -> bool:
    """Whether one text has all words of the other, or ``half`` of them, and not many more."""
    few, many = sorted((words(a), words(b)), key=len)
    enough = len(few & many) >= (0.5 if half else 1) * len(few)
    return a.lower() == b.lower() or (bool(few) and enough and len(many) <= 3 * len(few))


def _fullest(doubts: dict[str, CaveatSource]) -> dict[str, CaveatSource]:
    """The doubts without repetitions: of equal ones, the longest."""
    found: dict[str, CaveatSource] = {}
    for quote, source in doubts.items():
        former = next((other for other in found if _repeats(quote, other)), None)
        if former is None or len(quote) > len(former):
            found.pop(former or "", None)
            found[quote] = source
    return found


def _repeats(one: str, two: str) -> bool:
    """Whether one has all words of the other; a name that differs makes another doubt."""
    few, many = sorted((set(re.findall(r"\w[\w./-]*\w|\w", text.lower())) for text in (one, two)), key=len)
    return 3 <= len(few) <= len(many) <= 3 * len(few) and few <= many


def _decision(choice: Choice, event: str) -> Decision:
    path, line = _file(choice.quote)
    return Decision(
        chosen=choice.chosen,
        alternatives=choice.rejected,
        reasoning=choice.reason,
        by="inferred",
        quote=choice.quote,
        event=event,
        path=path,
        line=line,
    )


def _file(quote: str) -> tuple[str | None, int | None]:
    """The file, and its line, that a sentence names; None if it names none, or several."""
    found = {
        (path, int(line) if line else None)
        for path, line in _FILE.findall(quote)
        if not _EXTENSION.search(path)
    }
    return found.pop() if len(found) == 1 else (None, None)
