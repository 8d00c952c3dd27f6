"""Renders the comment on a pull request: why this change, where to look first, what was decided. It takes
thirty seconds to read.

Facts are counted from records; text by agents and people is quoted, inferred decisions are marked. Nothing is
invented: without a recorded reason the comment shows the request and the summary. The comment is a list of
blocks, each in several lengths; the least important are shortened first, until everything fits.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import TypeVar

from gittraj import limits
from gittraj.frozen import dataclass
from gittraj.model.header import Header
from gittraj.model.words import count, model_of, one_line, opened_by
from gittraj.query.change import Change, Rewritten
from gittraj.render.comment.facts import find_heading, find_outcome, find_requests, said, share, state_facts
from gittraj.render.comment.flags import Flag, by_doubt, find_flags, omissions
from gittraj.render.comment.height import FOLD, TABLE, count_fitting, height, row
from gittraj.render.comment.tables import (
    NAME,
    PATH,
    ROWS,
    WORDS,
    Location,
    agents_of,
    agents_table,
    commits_table,
    decisions_table,
    files_table,
    flags_table,
)
from gittraj.render.inert import code, details, quote, words

CHARACTERS, BYTES = 60_000, 200_000
"""The limits of a comment; GitHub accepts 65,536 characters, and has been seen to store 262,144 bytes."""
_ROWS = 5  # rows of a table above the fold, at most
_RESERVED = 2  # decisions for which room is left above the fold
_ASKED = 3  # requests, or titles, at most
T = TypeVar("T")
_PUSH = "If you have records of them: `git traj push`."
_PROMPTS = 100  # prompts in full, at most
_LONG, _SHORT = 40, 10  # rows of a folded table, in its shorter forms


@dataclass(frozen=True, slots=True, kw_only=True)
class CommentOptions:
    """Whether to show prompts in full, and the cost."""

    prompts: bool = False
    cost: bool = True


@dataclass(frozen=True, slots=True)
class Block:
    """``forms``: the full text, then shorter ones. Blocks with a higher ``rank`` are shortened first."""

    rank: int
    name: str
    forms: tuple[str, ...]


def render_comment(
    change: Change,
    location: Location,
    options: CommentOptions,
    *,
    flags: Sequence[Flag] | None = None,
    characters: int = CHARACTERS,
    max_bytes: int = BYTES,
) -> str:
    """Return the comment, without a marker, at most ``characters`` and ``max_bytes`` long. ``flags`` are the
    change's, if they are known already: a change may have tens of thousands."""
    flags = find_flags(change) if flags is None else flags
    blocks = [block for block in _blocks(change, flags, location, options) if block.forms[0]]
    return fit(blocks, characters=characters, max_bytes=max_bytes)


def fit(blocks: Sequence[Block], *, characters: int, max_bytes: int) -> str:
    """Join all blocks, shortened until they fit; the last line names the shortened ones."""
    chosen = [0] * len(blocks)
    while True:
        text = _join(blocks, chosen)
        if len(text) <= characters and len(text.encode()) <= max_bytes:
            return text
        longer = [at for at, block in enumerate(blocks) if chosen[at] + 1 < len(block.forms)]
        if not longer:
            return f"{blocks[0].forms[-1]}\n"
        chosen[max(longer, key=lambda at: (blocks[at].rank, -chosen[at]))] += 1


def _join(blocks: Sequence[Block], chosen: Sequence[int]) -> str:
    """Join the blocks; ``chosen`` is the index of each one's form."""
    pairs = list(zip(blocks, chosen, strict=True))
    parts = [block.forms[form] for block, form in pairs if block.forms[form]]
    if shortened := [block.name for block, form in pairs if form]:
        parts.append(f"<sub>Shortened to fit: {', '.join(shortened)}.</sub>")
    return "\n\n".join(parts) + "\n"


# ---------------------------------------------------------------- the blocks


def _blocks(
    change: Change, flags: Sequence[Flag], location: Location, options: CommentOptions
) -> Iterator[Block]:
    title, state = f"### {_title(change)}", "\n\n".join(_notices(change, location))
    yield Block(0, "title", (title,))
    yield Block(0, "state", (state,))
    if not change.recorded:
        yield Block(0, "summary", (_no_records(change),))
        return
    new = f" · new since the last push: {_listed(change.new, location)}" if change.new else ""
    summary = _summary(change, options) + new
    left_open = "\n." if omissions(change) else ""  # as high as the line ``Left open: …``
    yield Block(0, "summary", (summary,))
    why = _why(change, 600)
    yield Block(1, "why", (why, _why(change, 300)))
    decisions = by_doubt(change)  # the least sure ones are shown, the others folded
    room = FOLD - height(f"{title}\n{state}\n{summary}\n{why}{left_open}")
    first_flags, first_decisions = _count_above_fold(flags, decisions, room)
    look = [_flags(flags[:n], location, change) for n in (first_flags, min(first_flags, 2))]
    yield Block(1, "look here first", (*look, ""))
    lengths = (first_decisions, min(first_decisions, 3), 0)
    yield Block(2, "decided", tuple(_decided(decisions, most) for most in lengths))
    yield from _fold(2, "More to look at", flags[first_flags:], lambda rows: flags_table(rows, location))
    yield from _fold(5, "More decisions", decisions[first_decisions:], decisions_table)
    yield from _fold(4, "Commit by commit", change.commits, lambda rows: commits_table(rows, location))
    yield from _fold(5, "File by file", change.files, lambda rows: files_table(rows, change, location))
    if len(change.sessions) > 1:
        agents = details("Cost and agents", agents_table(change, cost=options.cost))
        yield Block(6, "cost and agents", (agents, ""))
    if options.prompts:
        yield Block(7, "prompts", (details("What was asked", _prompts(change)), ""))
    yield Block(0, "note", (_note(change, location),))


def _fold(rank: int, name: str, rows: Sequence[T], table: Callable[[Sequence[T]], str]) -> Iterator[Block]:
    """Yield a block with a folded table, in shorter and shorter forms; nothing for a single row."""
    if len(rows) > 1:
        forms = []
        for most in (ROWS, _LONG, _SHORT):
            left = f"\n\n{len(rows) - most} more." if len(rows) > most else ""
            forms.append(details(f"{name} ({len(rows)})", table(rows[:most]) + left))
        yield Block(rank, name.lower(), (*forms, ""))


def _count_above_fold(flags: Sequence[Flag], decisions: Sequence[Header], room: float) -> tuple[int, int]:
    """How many flags and how many decisions fit into ``room``, in lines, above the folded tables."""
    flag_heights = [
        row(min(len(f.path or ""), PATH) + len(f.why) + min(len(f.quoted), WORDS)) for f in flags[:_ROWS]
    ]
    texts = [(d["chosen"], "; ".join(d["alternatives"]), d["reasoning"] or "") for d in decisions[:_ROWS]]
    heights = [row(sum(min(len(text), WORDS) for text in each)) for each in texts]
    room -= TABLE * (bool(flag_heights) + bool(heights))
    number = _fold_several(count_fitting(flag_heights, room - sum(heights[:_RESERVED])), flags)
    return number, _fold_several(count_fitting(heights, room - sum(flag_heights[:number])), decisions)


def _fold_several(number: int, rows: Sequence[object]) -> int:
    """Return ``number``, the rows that are not folded; but one fewer, or all, if a single row would be
    folded: nobody would open that."""
    if number != len(rows) - 1:
        return number
    return number - 1 if number > 1 else len(rows)


def _title(change: Change) -> str:
    title = find_heading(change)
    return f"Why this change: {words(title, 100)}" if title else "Why this change"


def _notices(change: Change, location: Location) -> Iterator[str]:
    if change.rewritten:
        yield f"> [!WARNING]\n> {_rewritten(change, change.rewritten, location)}"
    if change.merged:
        yield f"> [!NOTE]\n> Merged as {location.commit(change.merged)}."
    if change.fork:
        yield f"<sub>The records come from the fork {words(change.fork)}: they are not verified here.</sub>"
    if change.unread:
        yield "<sub>The records of the fork cannot be read here: it is gone, or private.</sub>"
    if change.left:
        yield (
            f"<sub>Not read in full (larger than {limits.NOTE >> 20} MB, too many, damaged, or too "
            f"late): the records of {_listed(change.left, location)}.</sub>"
        )
    nouns = zip(change.more, ("commit", "file"), strict=True)
    if left := [count(number, noun) for number, noun in nouns if number]:
        verb = "is" if sum(change.more) == 1 else "are"
        yield f"<sub>{' and '.join(left)} more {verb} not listed by the host, and not shown here.</sub>"


def _rewritten(change: Change, rewritten: Rewritten, location: Location) -> str:
    """The notice about what a force push did to the records."""
    carried, own = len({*rewritten.carried}), change.own
    before = code(rewritten.before[:7])
    notice = f"This describes {location.commit(change.head)}, after a push that replaced {before}."
    if carried:
        verb = "carries" if carried == 1 else "carry"
        notice += f" {carried} of {count(len(own), 'commit')} {verb} the records of what was replaced."
    if new := [c for c in own if not c.trajectories]:
        verb = "has" if len(new) == 1 else "have"
        notice += f" {', '.join(location.commit(c.commit) for c in new[:_ROWS])} {verb} no trajectory."
    return notice


def _listed(commits: Sequence[str], location: Location) -> str:
    more = f" and {len(commits) - _ROWS} more" if len(commits) > _ROWS else ""
    return ", ".join(location.commit(commit) for commit in commits[:_ROWS]) + more


def _no_records(change: Change) -> str:
    number, ref = len(change.own), code(change.ref)
    if change.notes is None:
        return f"<sub>No agent trajectory: the repository has no records ({ref} is not there). {_PUSH}</sub>"
    if change.own and len(change.unknown) == number:
        return f"<sub>Nothing is known about these commits: {ref} was not read in full.</sub>"
    these = f"these {number} commits" if number != 1 else "this commit"
    these = "the other commits" if change.unknown else these
    state = f"{ref} was read at {code(change.notes[:7])}"
    traces = [t for commit in change.own for t in commit.traces]
    traced = count(sum(bool(commit.traces) for commit in change.own), "commit")
    opened = f" Of them {traced} {opened_by(agents_of(traces))}." if traces else ""
    return f"<sub>No agent trajectory is attached to {these}; {state}.{opened} {_PUSH}</sub>"


def _summary(change: Change, options: CommentOptions) -> str:
    state, *facts = state_facts(change, cost=options.cost)
    number = share(change)
    return " · ".join([f"**{number}**{state.removeprefix(number)}", *facts, f"head {code(change.head[:7])}"])


def _why(change: Change, most: int) -> str:
    """The requests, unless the heading says the same, and the outcome in at most ``most`` characters."""
    lines = list[str]()
    for label, texts in zip(("Asked", "Titled"), find_requests(change), strict=True):
        shown = " · ".join(f"“{words(text, 120)}”" for text in texts[:_ASKED])
        more = f" · {len(texts) - _ASKED} more" if len(texts) > _ASKED else ""
        lines += [f"**{label}:** {shown}{more}"] if texts else []
    outcome = find_outcome(change)
    summaries = [text for label, text in outcome if label == "summed up"]
    lines += [_outcome(label, text, most) for label, text in outcome[: len(outcome) - len(summaries)]]
    quotes = (quote(one_line(text), most // len(summaries)) for text in summaries)
    lines += ["\n>\n".join(quotes)] if summaries else []
    return "\n\n".join(lines)


def _outcome(label: str, text: str, most: int) -> str:
    if label.startswith("done"):
        of = label.removeprefix("done")
        return f"**Done**, in the agent's last words{of}:\n\n{quote(one_line(text), most)}"
    if label.startswith("by "):
        by = words(label.removeprefix("by "), NAME)
        return f"**Summary**, by the model {by}:\n\n{quote(one_line(text), most)}"
    return f"**{label.capitalize()}:** {said(text, words(text, most // 2))}"


def _flags(flags: Sequence[Flag], location: Location, change: Change) -> str:
    parts = ["**Look here first**", flags_table(flags, location)] if flags else []
    if left := omissions(change):
        parts.append(f"**Left open:** {', '.join(left)}.")
    return "\n\n".join(parts)


def _decided(decisions: Sequence[Header], most: int) -> str:
    """How many decisions there are, by author, and a table of ``most`` of them."""
    if not decisions:
        return ""
    authors = Counter("model" if model_of(d["by"]) else d["by"] for d in decisions)
    numbers = authors.pop("agent", 0), authors.pop("human", 0), authors.pop("model", 0), authors.total()
    kinds = ("stated by the agent", "by a person", "inferred by a model", "inferred")
    counted = [f"{number} {kind}" for number, kind in zip(numbers, kinds, strict=True) if number]
    head = f"**Decided** — {', '.join(counted)}"
    return f"{head}\n\n{decisions_table(decisions[:most])}" if most else head


def _prompts(change: Change) -> str:
    prompts = dict.fromkeys(t["prompt"] for c in change.recorded for t in c.trajectories if t["prompt"])
    return "\n\n".join(quote(text, 2_000) for text in islice(prompts, _PROMPTS))


def _note(change: Change, location: Location) -> str:
    full = f"[job summary]({location.run}) or " if location.run else ""
    # the head may have no record, and the reader's clone may lack what was pushed
    newest = change.recorded[-1].commit if change.recorded else change.head
    show = code(f"git traj fetch && git traj show {newest[:12]}")
    what = "A trajectory tells what an agent was asked, decided and doubted on the way to a commit"
    claim = "what is quoted was written by agents and their users: a claim, not proof."
    return f"<sub>{what}; {claim} Full detail: {full}{show}.</sub>"
