"""Statistics in the terminal: some lines, and a bar chart of a table's rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from gittraj.model.header import Header
from gittraj.model.words import count, money, size_of, tokens
from gittraj.query.compare.metrics import ENDED, UNKNOWN
from gittraj.render.text.terminal import Page, cut, escape_line, width, wrap

_LABEL = 12
_NAME, _BAR = 32, 24  # columns at most
_FACTS = 12  # columns at least
_ROWS = 40
_EIGHTHS = " ▏▎▍▌▋▊▉█"


def render_stats(
    total: Header, rows: Sequence[Header], page: Page, table: Page, *, ascii_only: bool = False
) -> str:
    """``total`` and ``rows`` of ``git traj stats --json`` as text; ``page`` is for the lines about the total,
    ``table`` for those of the rows."""
    lines: list[str] = []
    for label, text in _facts(total):
        lines += page.block(escape_line(text), indent=_LABEL, label=label)
    if rows:
        lines += ["", *_chart(rows, table, ascii_only=ascii_only)]
    return "\n".join(lines) + "\n"


def _facts(total: Header) -> Iterator[tuple[str, str]]:
    share = f" ({_percent(total)})" if total["commits"] else ""
    merges = f"; not counted: {count(total['mergesLeftOut'], 'merge')}" if total["mergesLeftOut"] else ""
    yield "commits", f"{total['recorded']:,} of {total['commits']:,} have a record{share}{merges}"
    if total["trajectories"]:
        yield from _work(total)


def _work(total: Header) -> Iterator[tuple[str, str]]:
    number, sessions, stored = total["trajectories"], total["sessions"], total["bytes"]
    idle = f"; {total['withoutCommit']:,} without a commit here" if total["withoutCommit"] else ""
    noun = "trajectory" if number == 1 else "trajectories"
    yield "work", f"{sessions:,} session{'s' * (sessions != 1)}, {number:,} {noun}{idle}"
    for name, many in total.get("remotes", {}).items():
        yield "from", f"{name}: {count(many, 'commit')}, not joined (git traj fetch {name})"
    yield "agents", _spell_ranking(total["agents"])
    yield "models", _spell_ranking(total["models"])
    yield "tokens", _partly_known(tokens(total["usage"]), total["tellingUsage"], number)
    yield "cost", _partly_known(money(total), total["tellingCost"], number)
    shares = {f"stated {k}" if k == "decisions" else k: many for k, many in total["telling"].items()}
    yield "with", ", ".join(f"{part} {many:,}/{sessions:,}" for part, many in shares.items())
    if others := ", ".join(f"{name} {many:,}" for name, many in total["beside"].items() if many):
        yield "also", others
    disk = "unknown" if stored["disk"] is None else size_of(stored["disk"])
    events = size_of(stored["events"])
    yield "stored", f"{size_of(stored['records'])} of records, {events} of events; {disk} on disk, compressed"


def _partly_known(text: str | None, known: int, of: int) -> str:
    if text is None:
        return "not in the agents' logs"
    return text if known == of else f"{text}, of {known:,} of {of:,}; the others' are unknown"


def _spell_ranking(ranking: Sequence[Header]) -> str:
    return ", ".join(f"{each['name'] or 'unknown'} {each['trajectories']:,}" for each in ranking)


def _chart(rows: Sequence[Header], page: Page, *, ascii_only: bool) -> Iterator[str]:
    names = [cut(escape_line(row["name"] or "unknown"), _NAME) for row in rows[:_ROWS]]
    facts = [_small(row) for row in rows[:_ROWS]]
    wide = max(map(width, names)), max(map(len, facts))
    # a line has the name, the bar, and the share with three digits and a sign, two spaces apart
    bar = min(_BAR, max(4, (page.columns or 80) - wide[0] - wide[1] - 10))
    for row, name, small in zip(rows, names, facts, strict=False):
        drawn = page.paint(_bar(row, bar, ascii_only=ascii_only), "green")
        lead = f"{name}{' ' * (wide[0] - width(name))}  {drawn}  {_percent(row):>4}"
        indent = width(lead) + 2
        if page.columns is not None and page.columns - indent < _FACTS:  # no room: the facts go below
            yield lead.rstrip()
            lead, indent = "", 2
        first, *rest = wrap(small, page.room(indent))
        yield f"{lead}  {page.paint(first, 'dim')}".rstrip()
        yield from (" " * indent + page.paint(row, "dim") for row in rest)
    if len(rows) > _ROWS:
        yield page.paint(f"and {len(rows) - _ROWS:,} more: --json has all", "dim")


def _small(row: Header) -> str:
    spent = tokens(row["usage"])
    size = sum(row["bytes"].values())
    facts = [f"{row['recorded']:,}/{row['commits']:,}", spent, money(row), size_of(size) if size else None]
    if row["successRate"] is not None:
        facts.append(_ended(row["statuses"]))
    if row["parseFailures"]:
        facts.append(count(row["parseFailures"], "parse failure"))
    return " · ".join(filter(None, facts))


def _ended(statuses: Header) -> str:
    """Say how many sessions ended as completed, which does not mean that their tests passed."""
    known = sum(statuses.get(status, 0) for status in (*ENDED, UNKNOWN))
    unknown = f", {statuses[UNKNOWN]:,} unknown" if statuses.get(UNKNOWN) else ""
    return f"{statuses.get('completed', 0):,} of {known:,} ended as completed{unknown}"


def _bar(row: Header, columns: int, *, ascii_only: bool) -> str:
    share = row["recorded"] / row["commits"] if row["commits"] else 0.0
    if ascii_only:
        return ("#" * round(share * columns)).ljust(columns, ".")
    filled = round(share * columns * 8)
    full, rest = divmod(filled, 8)
    return ("█" * full + _EIGHTHS[rest] * bool(rest)).ljust(columns)


def _percent(row: Header) -> str:
    """The share of recorded commits, rounded; 100% only if all are recorded."""
    if row["recorded"] == row["commits"]:
        return "100%" if row["commits"] else "-"
    return f"{min(99, round(100 * row['recorded'] / row['commits']))}%"
