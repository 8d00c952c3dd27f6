"""Reads what the messages of a part say about the work, for the part's record.

Only messages are read: thinking may be sealed, and an inference from it would leak it.
"""

from __future__ import annotations

import re
from collections.abc import Container, Sequence
from dataclasses import dataclass
from itertools import chain, islice, zip_longest

from gittraj.events.prose.choice import Choice
from gittraj.events.prose.choices import find_choices, find_revoked, find_turns, revokes_previous
from gittraj.events.prose.claim import words
from gittraj.events.prose.doubts import find_doubts
from gittraj.events.prose.outcome import find_announced, find_reason, find_result
from gittraj.events.prose.patterns import PHRASES
from gittraj.events.runs.fold import command_of
from gittraj.events.runs.git_commands import runs_commit
from gittraj.model.sides import because
from gittraj.model.values import AnyEvent, CaveatSource, Decision, Message, Prompt, ToolCall

MOST_DECISIONS = 8
MOST_CAVEATS = 12
_SHORT = 160
"""The maximum number of characters of a choice with its reason, so that both fit in a line of a list."""

_FILE = re.compile(r"(?<![\w/.-])((?:[\w.-]+/)*[\w-]+\.[A-Za-z]\w{0,7})(?::(\d{1,7}))?(?![\w/])")
_EXTENSION = re.compile(
    r"\.(?:[ch](?:pp|xx|h|s|c)?|css|csv|go|html?|ini|cfg|java|[cm]?[jt]sx?|jsonl?|kts?|lock|lua|md|mod|php|pyi?|rb|rst"
    r"|rs|scala|scss|sh|sql|svelte|swift|toml|tf|txt|vue|xml|ya?ml)$"
)
"""The extensions with which a name without a folder is a file's; another may be a module's attribute."""
_ARTICLE = re.compile(r"^(?:us(?:e|ing) )?(?:an? |the )?")


@dataclass(frozen=True, slots=True)
class Prose:
    """What the messages say; ``sources`` has the source of each caveat, ``why`` the reason of the work."""

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
    """Read what the messages say, besides the ``stated`` decisions. ``prompt`` is what the user asked for;
    ``committing`` are the ids of the calls that made the commits."""
    spoken = _find_spoken(events, committing)
    touched = {file.path.rpartition("/")[2] for event in events for file in event.files}
    choices, decisions, doubts, revoked = _read_messages(spoken, prompt, touched)
    caveats = dict(islice(_merge_doubts(doubts).items(), MOST_CAVEATS))
    reasoned = [choice.quote for choice in choices if choice.reason]
    reasons = (_add_choice(decision.reasoning, decision.chosen) for decision in stated if decision.reasoning)
    return Prose(
        decisions=_merge_decisions(decisions),
        caveats=tuple(caveats),
        sources=tuple(caveats.values()),
        result=find_result(
            [said.text for said in spoken],
            without={*doubts, *reasoned},
            choices={choice.quote for choice in choices},
        ),
        why=next(reasons, None)
        or find_reason(_closing(spoken), choices, without={*doubts, *revoked})
        or find_announced([(said.text, said.edits) for said in spoken], without={*doubts, *revoked}),
    )


@dataclass(frozen=True, slots=True)
class _Spoken:
    """A message and its context: whether it is ``on_the_way`` to a call, right before a call that ``edits``
    files, and ``at_work``, in a turn that wrote files."""

    event: str
    text: str
    on_the_way: bool
    edits: bool
    at_work: bool


def _find_spoken(events: Sequence[AnyEvent], committing: Container[str]) -> list[_Spoken]:
    """Return the messages with their contexts; one before a closing commit is not on the way to a call."""
    at_work = _said_at_work(events)
    steps = [event for event in events if isinstance(event, Prompt | Message | ToolCall)]
    closing = _find_closing_commit(steps, committing)
    return [
        _Spoken(
            event=step.id,
            text=step.content,
            on_the_way=isinstance(then, ToolCall) and then is not closing,
            edits=then is not None and bool(then.files),
            at_work=step.id in at_work,
        )
        for step, then in zip_longest(steps, steps[1:])
        if isinstance(step, Message) and step.content.strip()
    ]


def _find_closing_commit(steps: Sequence[AnyEvent], committing: Container[str]) -> ToolCall | None:
    """Return the last step, if it is a call that commits: the message before it reports finished work."""
    last = steps[-1] if steps else None
    if not isinstance(last, ToolCall):
        return None
    commits = (last.call_id or last.id) in committing or runs_commit(command_of(last))
    return last if commits else None


def _read_messages(
    spoken: Sequence[_Spoken], prompt: str | None, touched: Container[str]
) -> tuple[list[Choice], list[Decision], dict[str, CaveatSource], set[str]]:
    """Return the choices of all messages, in order; decisions made from them; the doubts with their sources;
    and the quotes of sentences that the next sentence or message takes back. ``touched`` are the names of
    the files that calls wrote."""
    choices: list[Choice] = []
    decisions: list[Decision] = []
    doubts: dict[str, CaveatSource] = {}
    revoked: set[str] = set()
    turns = [find_turns(said.text) for said in spoken]
    for at, (said, then) in enumerate(zip_longest(spoken, spoken[1:])):
        found = find_choices(said.text, prompt, own=said.on_the_way or not said.at_work)
        quotes = {choice.quote for choice in found}
        stated = [choice for choice in found if not _is_overruled(choice, said.text, turns[at:])]
        revoked |= find_revoked(said.text) | (quotes - {choice.quote for choice in stated})
        if then and revokes_previous(then.text):
            revoked |= quotes
        else:
            choices += stated
            decisions += [_make_decision(choice, said.event, touched) for choice in stated]
        for quote in find_doubts(said.text, without=quotes, on_the_way=said.on_the_way, edits=said.edits):
            path, line = _find_file(quote, touched)
            source = CaveatSource(event=said.event, by="inferred", path=path, line=line)
            doubts.setdefault(quote, source)
    return choices, decisions, doubts, revoked


def _is_overruled(choice: Choice, message: str, turns: Sequence[Sequence[tuple[str, str]]]) -> bool:
    """Whether a later sentence says that what the choice rejected is used after all; the last one that names
    a side counts. ``turns`` are those of its ``message``, and of each later one."""
    said = message.find(choice.quote)
    after = [named for quote, named in turns[0] if message.find(quote) > said]
    chosen, rejected = _name(choice.chosen), {*map(_name, choice.rejected)}
    named_later = map(_name, chain(after, (named for later in turns[1:] for _, named in later)))
    last = [named for named in named_later if named == chosen or named in rejected][-1:]
    return bool(last) and last[0] != chosen


def _name(side: str) -> str:
    """Return the name of what was chosen or rejected, without an article."""
    return _ARTICLE.sub("", side.replace("`", "").strip().lower())


def _add_choice(reasoning: str, chosen: str) -> str:
    """Return the reason with the choice, if both are short: ``no size to tune`` alone does not name the
    thing."""
    sentence = f"{chosen}, {because(reasoning)}"
    return sentence if len(sentence) <= _SHORT else reasoning


def _closing(spoken: Sequence[_Spoken]) -> list[str]:
    """Return the messages that report finished work: before a call, an agent explains what it sees."""
    return [said.text for said in spoken if said.at_work and (not said.on_the_way or said is spoken[-1])]


def _said_at_work(events: Sequence[AnyEvent]) -> frozenset[str]:
    """Return the ids of the messages in the turns that wrote files, or in all turns if none did: in a turn
    without a written file, a question was answered."""
    turns: list[list[AnyEvent]] = [[]]
    for event in events:
        if isinstance(event, Prompt):
            turns.append([])
        turns[-1].append(event)
    wrote = [turn for turn in turns if any(event.files for event in turn)] or turns
    return frozenset(event.id for turn in wrote for event in turn if isinstance(event, Message))


def _merge_decisions(decisions: Sequence[Decision]) -> tuple[Decision, ...]:
    """Return the first few decisions, without those that a later one replaces, and without repetitions: of
    equal ones, the first, or the first with a reason."""
    merged: list[Decision] = []
    for number, decision in enumerate(decisions, 1):
        at = next((at for at, former in enumerate(merged) if _is_same(former, decision)), len(merged))
        is_known = at < len(merged) and (merged[at].reasoning or not decision.reasoning)
        if at < MOST_DECISIONS and not (is_known or _is_replaced(decision, decisions[number:])):
            merged[at : at + 1] = [decision]
    return tuple(merged)


def _is_replaced(former: Decision, later: Sequence[Decision]) -> bool:
    """Whether a later decision about the same thing rejects what ``former`` chose. It must also choose what
    ``former`` rejected, or say that the choice is given up: ``replaced the dict``, but not ``instead of a
    dict``."""
    for then in later:
        left = [other for other in then.alternatives if _says_same(other, former.chosen)]
        if left and _may_be_about_same(then, former):
            opposite = any(_says_same(other, then.chosen) for other in former.alternatives)
            before = ((then.quote or "").partition(other)[0] for other in left)
            if opposite or any(PHRASES.find(text, "leaves") for text in before):
                return True
    return False


def _may_be_about_same(one: Decision, two: Decision) -> bool:
    """Whether the two do not name different files or, as in ``for the cache``, different things."""
    about = [words(" ".join(PHRASES["place"].findall(decision.quote or ""))) for decision in (one, two)]
    return (not all(about) or bool(about[0] & about[1])) and (one.path or two.path) == (two.path or one.path)


def _is_same(one: Decision, two: Decision) -> bool:
    half = bool(one.alternatives) and not (one.reasoning and two.reasoning)
    half &= "`" not in one.chosen + two.chosen  # two code names may differ in one of many words
    others = ("; ".join(one.alternatives), "; ".join(two.alternatives))
    return _says_same(*others) and _says_same(one.chosen, two.chosen, half=half)


def _says_same(a: str, b: str, *, half: bool = False) -> bool:
    """Whether one text has all words of the other (with ``half``, half of them), and not many more."""
    few, many = sorted((words(a), words(b)), key=len)
    enough = len(few & many) >= (0.5 if half else 1) * len(few)
    return a.lower() == b.lower() or (bool(few) and enough and len(many) <= 3 * len(few))


def _merge_doubts(doubts: dict[str, CaveatSource]) -> dict[str, CaveatSource]:
    """Return the doubts without repetitions: of equal ones, the longest."""
    merged: dict[str, CaveatSource] = {}
    for quote, source in doubts.items():
        former = next((other for other in merged if _repeats(quote, other)), None)
        if former is None or len(quote) > len(former):
            merged.pop(former or "", None)
            merged[quote] = source
    return merged


def _repeats(one: str, two: str) -> bool:
    """Whether one text has all words of the other; with a different name in it, it is another doubt."""
    few, many = sorted((set(re.findall(r"\w[\w./-]*\w|\w", text.lower())) for text in (one, two)), key=len)
    return 3 <= len(few) <= len(many) <= 3 * len(few) and few <= many


def _make_decision(choice: Choice, event: str, touched: Container[str]) -> Decision:
    path, line = _find_file(choice.quote, touched)
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


def _find_file(quote: str, touched: Container[str]) -> tuple[str | None, int | None]:
    """Return the file, and its line, that a sentence names; None if it does not name exactly one file. A name
    with a dot is a file's if it has a folder or a file's extension, or is that of a ``touched`` file."""
    files = {
        (path, int(line) if line else None)
        for path, line in _FILE.findall(quote)
        if "/" in path or path in touched or _EXTENSION.search(path)
    }
    return files.pop() if len(files) == 1 else (None, None)
