"""Renders a comparison as tables of three columns, for a terminal, as a Markdown page, and as a
self-contained HTML page. Each of the three escapes text that others wrote. Pure.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import zip_longest

from gittraj.frozen import dataclass
from gittraj.model.header import Header
from gittraj.model.words import count, duration, money, run, task, tokens
from gittraj.model.words_of_tests import tests
from gittraj.render.html import document
from gittraj.render.html.markup import Html, Links, join, line, tag
from gittraj.render.inert import words
from gittraj.render.text.terminal import Page, escape_line, width, wrap

_STEPS = 40
"""How many steps are shown around the point where the two sides diverge, unless all are requested."""
_BEFORE = 3
"""How many of them are before that point."""
_LEADS = {"prompt": "asked", "message": "said", "tool_call": "→", "decision": "decided", "error": "error"}


@dataclass(frozen=True, slots=True)
class Row:
    """A label and the text of each side; ``same``: both texts are equal."""

    label: str
    a: str
    b: str
    same: bool


@dataclass(frozen=True, slots=True)
class Table:
    title: str
    rows: Sequence[Row]
    note: str = ""


def tables(compared: Header, *, everything: bool) -> Iterator[Table]:
    """The tables for the document of ``git traj compare --json``, most useful first, without empty ones."""
    sides = [list(_summarise(side)) for side in compared["sides"]]
    rows = [_row(label, a, b) for (label, a), (_, b) in zip(*sides, strict=True) if a or b]
    all_tables = [
        Table("", rows),
        Table("Asked", _pairs(compared["prompts"])),
        Table("Instances", [_instance(row) for row in compared["instances"]]),
        Table("Files", [_row(f["path"], _file(f["a"]), _file(f["b"])) for f in compared["files"]]),
        Table("Decisions", _pairs(compared["decisions"])),
        _steps(compared, everything=everything),
    ]
    return (table for table in all_tables if table.rows)


def _row(label: str, a: str | None, b: str | None) -> Row:
    return Row(label, a or "—", b or "—", a == b)


def _pairs(pairs: Sequence[Header]) -> list[Row]:
    return [_row("" if pair["same"] else "≠", pair["a"], pair["b"]) for pair in pairs]


def _summarise(side: Header) -> Iterator[tuple[str, str | None]]:
    """The labels and values of the first table, for one side."""
    metrics, trajectories = side["metrics"], side["trajectories"]
    counts, number = metrics["counts"], metrics["trajectories"]
    yield "trajectories", str(number) if number > 1 else trajectories[0]["id"]
    yield "agent", _each(each["agent"] for each in trajectories)
    yield "model", _each(model for each in trajectories for model in each["models"])
    yield "task", _each(map(task, trajectories))
    alone = number == 1
    yield "run", _each(map(run, trajectories)) if alone else None
    for label, key in (("status", "statuses"), ("ended", "exits")):
        yield label, ", ".join(_tally(metrics[key]) if number > 1 else metrics[key])
    yield "success", None if alone else _share(metrics)
    yield "parse failures", str(metrics["parseFailures"] or "")
    yield "prompts", str(counts["prompts"])
    yield (
        "calls",
        count(counts["toolCalls"], "call") + f", {counts['errors']} failed" * bool(counts["errors"]),
    )
    yield "tests", tests(trajectories[0]["tests"]) if alone else ", ".join(_tally(metrics["tests"]))
    yield "time", _time(metrics)
    spent = tokens(metrics["usage"]) if metrics["usage"] else None
    yield "tokens", _partly(spent, metrics["tellingUsage"], number)
    yield "cost", _partly(money(metrics), metrics["tellingCost"], number)


def _each(names: Iterator[str | None]) -> str:
    """The names on one line, at most three of them."""
    distinct = [name for name in dict.fromkeys(names) if name]
    return ", ".join(distinct[:3]) + (f" and {len(distinct) - 3} more" if len(distinct) > 3 else "")


def _tally(numbers: Header) -> list[str]:
    return [f"{number} {name}" for name, number in numbers.items()]


def _share(metrics: Header) -> str | None:
    success = metrics["successRate"]
    return None if success is None else f"{success:.0%}"


def _time(metrics: Header) -> str | None:
    median = duration(metrics["medianSeconds"])
    return f"{median} (median)" if median and metrics["trajectories"] > 1 else median


def _partly(text: str | None, known: int, of: int) -> str | None:
    """A sum, with the number of trajectories that it is known for, unless these are all of them."""
    return f"{text} (of {known} of {of})" if text and known < of else text


def _instance(row: Header) -> Row:
    return _row(row["name"] or "without a name", *(_small(row[key]) for key in "ab"))


def _small(metrics: Header | None) -> str | None:
    if metrics is None:
        return None
    completed = metrics["statuses"].get("completed", 0)
    facts = [f"{completed} of {metrics['trajectories']} completed", _time(metrics), money(metrics)]
    return ", ".join(filter(None, facts))


def _file(file: Header | None) -> str | None:
    return f"{file['kind']}, {count(file['edits'], 'edit')}" if file else None


def _steps(compared: Header, *, everything: bool) -> Table:
    steps, parted = compared["steps"] or [], compared["parted"]
    rows = [
        Row(f"{at + 1}{'' if step['same'] else ' ≠'}", _step(step["a"]), _step(step["b"]), step["same"])
        for at, step in enumerate(steps)
    ]
    note = f"they diverge at step {parted + 1}" if parted is not None else "the same steps"
    first = 0 if everything or parted is None else max(parted - _BEFORE, 0)
    shown = rows if everything else rows[first : first + _STEPS]
    left = len(rows) - len(shown)
    return Table("Steps", shown, note + (f"; {count(left, 'step')} not shown: --events" if left else ""))


def _step(step: Header | None) -> str:
    if step is None:
        return "—"
    name = f" {step['name']}" if step["type"] == "tool_call" else ""
    lead = f"{_LEADS.get(step['type'], step['type'])}{name}"
    return f"{lead}: {step['text']}{' ✗' if step['failed'] else ''}"


_LABEL = 15  # columns at most
_LINES = 3  # lines of a side, unless everything is requested
_COLUMNS = 100


def render_text(compared: Header, page: Page, *, everything: bool) -> Iterator[str]:
    """Yield the tables of ``compared``, a document of ``git traj compare --json``, as text for a terminal."""
    names = [escape_line(side["name"]) for side in compared["sides"]]
    for table in tables(compared, everything=everything):
        a, b = ("", "") if table.title else names
        lead = Row(table.title.lower(), a, b, same=True)
        yield "\n" * bool(table.title) + page.paint(_lines(lead, page, 1)[0], "bold") + "\n"
        if table.note:
            yield page.paint(escape_line(table.note), "dim") + "\n"
        yield from _text_table(table, page, None if everything else _LINES)


def _text_table(table: Table, page: Page, most: int | None) -> Iterator[str]:
    for row in table.rows:
        styles = [] if row.same else ["yellow"]
        yield "".join(page.paint(line, *styles) + "\n" for line in _lines(row, page, most))


def _lines(row: Row, page: Page, most: int | None) -> list[str]:
    room = ((page.columns or _COLUMNS) - _LABEL - 4) // 2
    left, right = (wrap(escape_line(text), room, lines=most) for text in (row.a, row.b))
    label = escape_line(row.label)
    if width(label) > _LABEL:  # such as a path, which gets a line of its own
        return [label, *_columns("", left, right, room)]
    return list(_columns(label, left, right, room))


def _columns(label: str, left: list[str], right: list[str], room: int) -> Iterator[str]:
    for number, (one, other) in enumerate(zip_longest(left, right, fillvalue="")):
        lead = label if number == 0 else ""
        padded = f"{lead}{' ' * (_LABEL - width(lead))}  {one}{' ' * max(room - width(one), 0)}  {other}"
        yield padded.rstrip()


def render_markdown(compared: Header, *, everything: bool) -> Iterator[str]:
    """Yield a page about ``compared``, a document of ``git traj compare --json``."""
    names = [words(side["name"]) for side in compared["sides"]]
    yield f"# {' and '.join(names)}\n"
    for table in tables(compared, everything=everything):
        yield f"\n## {table.title}\n" if table.title else ""
        yield f"\n{words(table.note)}\n" if table.note else ""
        yield f"\n| | {' | '.join(names)} |\n| --- | --- | --- |\n"
        for row in table.rows:
            yield f"| {' | '.join(map(words, (row.label, row.a, row.b)))} |\n"


def render_html(compared: Header, *, everything: bool) -> str:
    """A page about ``compared``, a document of ``git traj compare --json``."""
    names = [side["name"] for side in compared["sides"]]
    title = " and ".join(names)
    shown = [_html_table(table, names) for table in tables(compared, everything=everything)]
    return document.wrap(title, join([tag("h1", line(title)), *shown]), None, links=Links())


def _html_table(table: Table, names: list[str]) -> Html:
    head = tag("tr", tag("th", ""), *(tag("th", line(name), scope="col") for name in names))
    rows = join(map(_html_row, table.rows))
    return join(
        [
            tag("h2", table.title) if table.title else "",
            tag("p", line(table.note), class_="muted") if table.note else "",
            tag("table", tag("thead", head), tag("tbody", rows)),
        ]
    )


def _html_row(row: Row) -> Html:
    cells = [tag("td", line(text) if row.same else tag("mark", line(text))) for text in (row.a, row.b)]
    return tag("tr", tag("th", line(row.label), scope="row"), *cells)
