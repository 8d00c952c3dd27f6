"""Measures what the redactor removes and damages by family of text, what each rule finds, which readers help.

``python -m tests.redaction.measure`` prints the families; ``--rules`` counts each rule's matches;
``--without`` prints how many more are missed and damaged without each reader; ``--write`` writes the current
result as the ratchet.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from gittraj.errors import RedactionError
from gittraj.redact import Redactor, engine, scan
from tests.redaction.templates import Case, cases

SECRETS, HARMLESS = ("secrets.txt", "examples.txt"), ("harmless.txt", "examples_harmless.txt")
RATCHET = Path(__file__).parent / "ratchet.json"
_KEY = b"k" * 32
_SEEDS = 4


@dataclass(frozen=True, slots=True)
class Outcome:
    """``missed`` and ``damaged``: templates, each with its family; ``tried`` counts the texts by family."""

    missed: frozenset[str]
    damaged: frozenset[str]
    tried: Counter[str]


def outcome(every: Iterable[Case]) -> Outcome:
    """Redact each text with a new redactor and return the outcome."""
    missed, damaged, tried = set(), set(), Counter[str]()
    for case in every:
        tried[case.family] += 1
        clean = redacted(case.text)
        if case.secrets and any(secret in clean for secret in case.secrets):
            missed.add(case.name)
        elif not case.secrets and clean != case.text:
            damaged.add(case.name)
    return Outcome(frozenset(missed), frozenset(damaged), tried)


def redacted(text: str) -> str:
    try:
        return Redactor(key=_KEY).text(text)
    except RedactionError:
        return f"not scanned: {text}"


def corpus(seeds: int) -> Iterator[Case]:
    for file in (*SECRETS, *HARMLESS):
        yield from cases(file, seeds)


def ratchet() -> dict[str, list[str]]:
    """Return the templates known to be missed or damaged; no others may be."""
    known: dict[str, list[str]] = json.loads(RATCHET.read_text(encoding="utf-8"))
    return known


def _print_families(found: Outcome) -> None:
    bad = Counter(name.partition(": ")[0] for name in (*found.missed, *found.damaged))
    for family, count in sorted(found.tried.items()):
        print(f"{count:5} {family:24}", f"{bad[family]} templates missed or damaged" if bad[family] else "")
    print(f"{len(found.missed)} templates missed, {len(found.damaged)} damaged")


def _print_rules() -> None:
    found: Counter[str] = Counter()
    for case in corpus(1):
        found.update({span.rule for span in Redactor(key=_KEY).find(case.text)})
    for rule, count in found.most_common():
        print(f"{count:5} {rule}")


def _print_without() -> None:
    readers, every = scan._READERS, [*corpus(1)]
    whole = outcome(every)
    for reader in readers:
        engine.forget()
        scan._READERS = tuple(one for one in readers if one is not reader)
        less = outcome(every)
        print(
            f"{reader.id:16} misses {len(less.missed - whole.missed)} more, "
            f"{len(whole.missed - less.missed)} less; damages {len(less.damaged - whole.damaged)} more, "
            f"{len(whole.damaged - less.damaged)} less"
        )


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["--rules"]:
            _print_rules()
        case ["--without"]:
            _print_without()
        case ["--write"]:
            now = outcome(corpus(_SEEDS))
            text = json.dumps({"missed": sorted(now.missed), "damaged": sorted(now.damaged)}, indent=1)
            RATCHET.write_text(text + "\n", encoding="utf-8")
        case _:
            _print_families(outcome(corpus(_SEEDS)))
