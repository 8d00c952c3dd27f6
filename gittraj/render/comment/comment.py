"""The comment on a pull request: why this change, where to look first, what was decided, in thirty seconds.

Facts are counted from records; text by agents and people is quoted, inferred decisions are marked. Nothing is
invented: without a recorded reason the comment shows the request and the summary. It is a list of blocks,
each in several lengths; the least important are shortened first, until everything fits.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from gittraj.frozen import dataclass
from gittraj.model.words import count, duration, model_of, money, own_words
from gittraj.query.change import Change, Header, Reviewed, decisions
from gittraj.render.comment.flags import Flag, find_flags
from gittraj.render.comment.height import FOLD, TABLE, count_fitting, height, row
from gittraj.render.comment.tables import (
    PATH,
    WORDS,
    Location,
    agent_of,
    agents_table,
    commits_table,
    decisions_table,
    files_table,
    flags_table,
    one_line,
)
from gittraj.render.inert import code, element, quote, words
from gittraj.render.text import terminal

CHARACTERS, BYTES = 60_000, 200_000
"""Of a comment; GitHub takes 65,536 characters, and has been seen to store 262,144 bytes."""
_ROWS = 5  # of a table above the fold, at the most
_KEPT = 2  # decisions for which room is left there
_ASKED = 3
_LONG, _SHORT = 40, 10  # of one that is folded


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
    characters: int = CHARACTERS,
    max_bytes: int = BYTES,
) -> str:
    """The comment, without a marker, at most ``characters`` and ``max_bytes`` (bytes) long."""
    blocks = [block for block in _blocks(change, location, options) if block.forms[0]]
    return fit(blocks, characters=characters, max_bytes=max_bytes)


def fit(blocks: Sequence[Block], *, characters: int, max_bytes: int) -> str:
    """All blocks, shortened until they fit; the last line names the shortened ones."""
    chosen = [0] * len(blocks)
    while True:
        short = [block.name for block, form in zip(blocks, chosen, strict=True) if form]
        parts = [block.forms[form] for block, form in zip(blocks, chosen, strict=True)]
        if short:
            parts.append(f"<sub>Shortened to fit: {', '.join(short)}.</sub>")
        text = "\n\n".join(part for part in parts if part) + "\n"
        if len(text) <= characters and len(text.encode()) <= max_bytes:
            return text
        left = [i for i, block in enumerate(blocks) if chosen[i] + 1 < len(block.forms)]
        if not left:
            return f"{blocks[0].forms[-1]}\n"
        chosen[max(left, key=lambda i: (blocks[i].rank, -chosen[i]))] += 1


# ---------------------------------------------------------------- the blocks


def _blocks(change: Change, location: Location, options: CommentOptions) -> Iterator[Block]:
    title, state = f"### {_title(change)}", "\n\n".join(_notices(change, location))
    yield Block(0, "title", (title,))
    yield Block(0, "state", (state,))
    if not change.recorded:
        yield Block(0, "summary", (_no_records(change),))
        return
    yield Block(0, "summary", (_summary(change, options),))
    why = _why(change, 600)
    yield Block(1, "why", (why, _why(change, 300)))
    flags, chosen = find_flags(change), decisions(change)
    seen, kept = _count_fitting(flags, chosen, FOLD - height(f"{title}\n{state}\n.\n{why}"))
    yield Block(1, "look here first", (_flags(flags[:seen], location), _flags(flags[:2], location), ""))
    yield Block(2, "decided", tuple(_decided(chosen, most) for most in (kept, min(kept, 3), 0)))
    for rank, name, left, rest in (
        (2, "More to look at", len(flags) - seen, flags_table(flags[seen:], location)),
        (5, "More decisions", len(chosen) - kept, decisions_table(chosen[kept:])),
    ):
        if left:
            yield Block(rank, name.lower(), (_details(f"{name} ({left})", rest), ""))
    for rank, title, number, table in (
        (4, "Commit by commit", len(change.commits), commits_table),
        (5, "File by file", len(change.files), files_table),
    ):
        forms = [
            _details(f"{title} ({number})", table(change, location, most)) for most in (number, _LONG, _SHORT)
        ]
        yield Block(rank, title.lower(), (*forms, ""))
    yield Block(
        6, "cost and agents", (_details("Cost and agents", agents_table(change, cost=options.cost)), "")
    )
    if options.prompts:
        yield Block(7, "prompts", (_details("What was asked", _prompts(change)), ""))
    yield Block(0, "note", (_note(change, location),))


def _count_fitting(flags: Sequence[Flag], chosen: Sequence[Header], room: float) -> tuple[int, int]:
    """How many flags and how many decisions there is ``room`` for above the folds."""
    looks = [
        row(min(len(f.path or ""), PATH) + len(f.why) + min(len(f.quoted), WORDS)) for f in flags[:_ROWS]
    ]
    picks = [
        row(
            sum(
                min(len(text), WORDS)
                for text in (d["chosen"], "; ".join(d["alternatives"]), d["reasoning"] or "")
            )
        )
        for d in chosen[:_ROWS]
    ]
    room -= TABLE * (bool(looks) + bool(picks))
    seen = count_fitting(looks, room - sum(picks[:_KEPT]))
    return seen, count_fitting(picks, room - sum(looks[:seen]))


def _title(change: Change) -> str:
    title = _heading(change)
    return f"Why this change: {words(terminal.cut(title, 100))}" if title else "Why this change"


def _heading(change: Change) -> str | None:
    titles = [t["title"] for t in change.sessions if t["title"]]
    return change.title or (titles[-1] if titles else None)


def _notices(change: Change, location: Location) -> Iterator[str]:
    if change.rewritten:
        carried, own = set(change.rewritten.carried), change.own
        before = code(change.rewritten.before[:7])
        notice = f"This describes {location.commit(change.head)}, after a push that replaced {before}."
        if carried:
            verb = "carries" if len(carried) == 1 else "carry"
            notice += (
                f" {len(carried)} of {count(len(own), 'commit')} {verb} the records of what was replaced."
            )
        new = [c for c in own if not c.trajectories]
        if new:
            notice += (
                f" {', '.join(location.commit(c.commit) for c in new[:_ROWS])} {_have(new)} no trajectory."
            )
        yield f"> [!WARNING]\n> {notice}"
    if change.merged:
        gone_to = f"; records carried to {count(change.carried, 'commit')}" if change.carried else ""
        yield f"> [!NOTE]\n> Merged as {location.commit(change.merged)}{gone_to}."
    if change.fork:
        yield f"<sub>The records come from the fork {words(change.fork)}: they are not verified here.</sub>"
    if change.unread:
        yield "<sub>The records of the fork cannot be read here: it is gone, or private.</sub>"
    left = [
        count(number, noun) for number, noun in zip(change.more, ("commit", "file"), strict=True) if number
    ]
    if left:
        verb = "is" if sum(change.more) == 1 else "are"
        yield f"<sub>{' and '.join(left)} more {verb} not listed by the host, and not shown here.</sub>"


def _have(commits: Sequence[Reviewed]) -> str:
    return "has" if len(commits) == 1 else "have"


def _no_records(change: Change) -> str:
    number, ref = len(change.own), code(change.ref)
    if change.notes is None:
        return f"<sub>No agent trajectory: the repository has no records ({ref} is not there).</sub>"
    these = f"these {number} commits" if number != 1 else "this commit"
    read = f"{ref} was read at {code(change.notes[:7])}"
    return f"<sub>No agent trajectory is attached to {these}; {read}.</sub>"


def _summary(change: Change, options: CommentOptions) -> str:
    sessions = change.sessions
    names = [agent_of(t) for t in sessions if t["agent"]]
    carried = f"**{len(change.recorded)} of {count(len(change.own), 'commit')}**"
    facts = [
        f"{carried} {'have' if len(change.own) != 1 else 'has'} an agent trajectory",
        " + ".join(dict.fromkeys(names)),
        count(len(sessions), "session"),
        duration(sum(t["part"]["durationSeconds"] or 0.0 for t in sessions)) or "",
        _cost(change) if options.cost else "",
        f"head {code(change.head[:7])}",
    ]
    return " · ".join(fact for fact in facts if fact)


def _cost(change: Change) -> str:
    """``≥`` where some sessions have no recorded cost."""
    parts = [t["part"] for t in change.sessions]
    known = [part for part in parts if part["costUsd"] is not None]
    if not known:
        return ""
    estimated = any(part["costSource"] == "estimated" for part in known)
    total = {
        "costUsd": sum(p["costUsd"] for p in known),
        "costSource": "estimated" if estimated else "reported",
    }
    return ("≥ " if len(known) < len(parts) else "") + (money(total) or "")


def _why(change: Change, most: int) -> str:
    """What was asked, unless the heading says so, and the outcome in at most ``most`` characters."""
    sessions, lines = change.sessions, list[str]()
    asked = [t for t in dict.fromkeys(t["title"] for t in sessions) if t and t != _heading(change)]
    if asked:
        shown = " · ".join(f"“{words(terminal.cut(text, 120))}”" for text in asked[:_ASKED])
        lines.append(
            f"**Asked:** {shown}" + (f" · {len(asked) - _ASKED} more" if len(asked) > _ASKED else "")
        )
    back = [
        t["retrospective"]["summary"]
        for t in sessions
        if t["retrospective"] and t["retrospective"]["summary"]
    ][-2:]
    recorded = [t for c in change.recorded for t in c.trajectories]
    reasons = [t["why"] for t in recorded if t["why"]]
    results = [t["result"] for t in recorded if t["result"]]
    done = [own for t in recorded if (own := own_words(t))]
    told = [t for t in recorded if model_of(t["summaryBy"])][-1:]
    if reasons:
        lines.append(f"**Why:** {words(terminal.cut(one_line(reasons[-1]), most // 2))}")
    if back:
        lines.append("\n>\n".join(quote(terminal.cut(one_line(text), most // len(back))) for text in back))
    elif told:
        by = words(model_of(told[0]["summaryBy"]) or "")
        lines.append(
            f"**Summary**, by the model {by}:\n\n{quote(terminal.cut(one_line(told[0]['summary']), most))}"
        )
    elif results:
        lines.append(f"**Result:** {words(terminal.cut(one_line(results[-1]), most // 2))}")
    elif done:
        lines.append(
            f"**Done**, in the agent's last words:\n\n{quote(terminal.cut(one_line(done[-1]), most))}"
        )
    return "\n\n".join(lines)


def _flags(flags: Sequence[Flag], location: Location) -> str:
    return f"**Look here first**\n\n{flags_table(flags, location)}" if flags else ""


def _decided(decided: Sequence[Header], most: int) -> str:
    if not decided:
        return ""
    authors = Counter("model" if model_of(d["by"]) else d["by"] for d in decided)
    stated = authors.pop("agent", 0), authors.pop("human", 0), authors.pop("model", 0), authors.total()
    kinds = ("stated by the agent", "by a person", "inferred by a model", "inferred")
    counted = [f"{number} {kind}" for number, kind in zip(stated, kinds, strict=True) if number]
    head = f"**Decided** — {', '.join(counted)}"
    return f"{head}\n\n{decisions_table(decided[:most])}" if most else head


def _prompts(change: Change) -> str:
    asked = dict.fromkeys(t["prompt"] for c in change.recorded for t in c.trajectories if t["prompt"])
    return "\n\n".join(quote(terminal.cut(text, 2_000)) for text in asked)


def _note(change: Change, location: Location) -> str:
    full = f"[job summary]({location.run}) or " if location.run else ""
    show = code(f"git traj show {change.head[:7]}")
    claim = "Quoted text was written by agents and their users: a claim, not proof."
    return f"<sub>{claim} Full detail: {full}{show}.</sub>"


def _details(title: str, body: str) -> str:
    return f"<details><summary>{element(title)}</summary>\n\n{body}\n\n</details>"
