"""(s) ``search --similar``: whether a question in other words finds the trajectory that solved it.

``python -m benchmarks.similar``. ``solved.txt`` has one line per trajectory: a file, the prompt, what was
done, what was decided, a question that somebody asks later, and maybe one more. The index also has 160
trajectories of everyday work with the same vocabulary (``chores.txt``). ``plain`` is SQLite's FTS5 with its
defaults: all text in one column, words as typed, joined by AND or by OR.
"""

from __future__ import annotations

import random
import re
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from gittraj.index import text
from gittraj.index.likeness import rank_like
from gittraj.index.text import TEXTS, Part, TextField

_HERE = Path(__file__).parent
_CHORES = 4  # number of chores per topic
_TOP = 5
_TOPICS = (
    *("session list page", "request logging", "configuration options table", "database seed data"),
    *("grid layout of the gallery", "mail templates", "build badge", "summer campaign banner", "file picker"),
    *("keyboard shortcuts", "search box", "price list", "cluster dashboard", "CSV header names"),
    *("note editor toolbar", "payment form", "service status page", "day picker", "PDF cover page"),
    *("upload button", "account settings", "queue names", "login page copy", "log levels"),
    *("invoice number format", "deploy notes", "overview page", "document viewer", "push opt-in dialog"),
    *("translation keys", "team page", "container labels", "orders API docs", "theme tokens", "event names"),
    *("map markers", "DNS docs", "job list", "photo gallery", "desktop installer"),
)
_SMALL_TALK = (
    *("I ran the tests, they pass.", "Let me look at the code first.", "The build is green again."),
    *(
        "I found the place, now I change it.",
        "All callers were checked.",
        "An error in the first try, fixed.",
    ),
)


@dataclass(frozen=True, slots=True)
class Question:
    """A question, and the number of the trajectory that answers it. ``group``: ``tuned`` (used to tune the
    ranking), ``held`` (held out), ``late`` (written after the ranking was finished)."""

    question: str
    answer: int
    group: str


@dataclass(frozen=True, slots=True)
class Score:
    """``mrr``: mean of 1/rank of the right trajectory; ``recall``: how often it is among the first five."""

    system: str
    mrr: float
    recall: float


def read_asked() -> list[Question]:
    found = []
    for number, row in enumerate(_rows("solved.txt")):
        found.append(Question(row[4], number, "held" if number % 2 else "tuned"))
        found += [Question(question, number, "late") for question in row[5:]]
    return found


def measure(asked: Sequence[Question]) -> Iterator[Score]:
    connection = sqlite3.connect(":memory:", isolation_level=None)
    connection.executescript(TEXTS.tables)
    connection.execute("CREATE VIRTUAL TABLE plain USING fts5(text)")
    parts = list(_parts())
    text.replace_parts(connection, {part.trajectory: [part] for part in parts})
    numbers = [doc for (doc,) in connection.execute("SELECT doc FROM parts ORDER BY doc")]
    for doc, part in zip(numbers, parts, strict=True):
        row = (doc, "\n".join(piece.text for piece in part.fields))
        connection.execute("INSERT INTO plain (rowid, text) VALUES (?, ?)", row)

    def plain(question: str, operator: str) -> list[int]:
        match = operator.join(f'"{word}"' for word in re.findall(r"\w+", question))
        rows = connection.execute("SELECT rowid FROM plain WHERE plain MATCH ? ORDER BY bm25(plain)", [match])
        return [doc for (doc,) in rows]

    def similar(question: str) -> list[int]:
        rows, _ = rank_like(
            connection, question, lambda match, most: text.ranked(connection, match, limit=most)
        )
        return [doc for doc, _ in rows]

    systems: dict[str, Callable[[str], list[int]]] = {
        "plain AND": lambda question: plain(question, " AND "),
        "plain OR": lambda question: plain(question, " OR "),
        "--similar": similar,
    }
    for name, rank in systems.items():
        ranks = [_rank_of(rank(each.question), numbers[each.answer]) for each in asked]
        mrr = sum(1 / position for position in ranks if position) / len(ranks)
        recall = sum(1 for position in ranks if position and position <= _TOP) / len(ranks)
        yield Score(name, mrr, recall)
    connection.close()


def _rank_of(ranked: Sequence[int], expected: int) -> int | None:
    return ranked.index(expected) + 1 if expected in ranked else None


def _rows(name: str) -> list[list[str]]:
    lines = (_HERE / name).read_text("utf-8").splitlines()
    return [[field.strip() for field in line.split(" | ")] for line in lines]


def _parts() -> Iterator[Part]:
    rng = random.Random(4)
    solved = [row[:4] for row in _rows("solved.txt")]
    chores = _rows("chores.txt")
    for topic in _TOPICS:
        words = topic.lower().split()
        for chore in rng.sample(chores, _CHORES):
            solved.append(
                [f"src/{words[0]}/{words[-1]}.py", *(field.replace("{}", topic) for field in chore)]
            )
    for number, (path, asked, did, chosen) in enumerate(solved):
        said = [
            *(("title", asked[:40]), ("prompt", asked), ("message", " ".join(rng.sample(_SMALL_TALK, 2)))),
            *(("message", did), ("retrospective", did.partition(";")[0]), ("decision", chosen)),
            *(("tool", f"pytest -q {path}"), ("output", "12 passed in 3.2 seconds"), ("file", path)),
        ]
        pieces = [TextField(kind, None, words) for kind, words in said]
        yield Part(f"traj_{number}", "e1", "claude-code", None, None, {}, (), pieces)


def main() -> None:
    asked = read_asked()
    for group in ("tuned", "held", "late"):
        some = [each for each in asked if each.group == group]
        for score in measure(some):
            print(
                f"{group} ({len(some)}): {score.system:10} MRR {score.mrr:.2f}  recall@5 {score.recall:.2f}"
            )


if __name__ == "__main__":
    main()
