"""Trains the redactor's judge (``gittraj/redact/judge``), and tests it on authors whom it was not trained on.

``python -m benchmarks.judging test SETS [HARMLESS]`` leaves each author out in turn and says, for several
thresholds, in how many texts the rules leave secrets, in how many of these the judge finds them, and how many
harmless ones the rules touch, and both. ``… train SETS [HARMLESS]`` writes the weights. In ``SETS`` each
author has a folder with a ``set.jsonl`` as in ``benchmarks.redaction``; in ``HARMLESS`` are files (``*.neg``)
with a JSON string a line, each a text without a secret. What the weights before were trained on need not be
there any more: their verdict is one more clue. It needs scikit-learn, which nothing else here does.

No word of a secret may be in a weight: a clue counts only if several authors have it, and a clue with a word
that is part of a secret only if several authors' harmless texts have that word too.
"""

from __future__ import annotations

import json
import re
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import TypeVar

from gittraj.redact import Options, Redactor, Span, scan
from gittraj.redact.judge import clues, places
from gittraj.redact.judge import weights as weights_before
from gittraj.redact.rules import Page

_KEY = b"k" * 32
_WEIGHTS = Path("gittraj/redact/judge/weights.txt")
_AUTHORS = 3  # who must have a clue
_SPARSITY = 1.0  # scikit-learn's C: less leaves fewer clues
_SMALLEST = 5  # hundredths of a logit
_HARD = -3.5  # logits: easier harmless words of the large texts teach nothing
_WORD = re.compile(r"[^\W\d_]{3,}")
Number = TypeVar("Number", int, float)


@dataclass(slots=True)
class Text:
    """What is judged in a text: places, clues, and whether each is a secret (``None``: part of one)."""

    text: str
    harmless: bool
    rules: list[tuple[int, int]]
    left: list[str]
    spans: list[tuple[int, int]] = field(default_factory=list)
    clues: list[list[str]] = field(default_factory=list)
    labels: list[bool | None] = field(default_factory=list)


def read(text: str, secrets: list[str]) -> Text:
    """A text as the rules leave it, with all that the judge is asked of it."""
    spans = Redactor(key=_KEY).find(text)
    clean = Redactor(key=_KEY).text(text)
    found = Text(text, not secrets, [(s.start, s.end) for s in spans], [s for s in secrets if s in clean])
    occurrences = [(at.start(), at.end()) for s in secrets for at in re.finditer(re.escape(s), text)]
    for span, said in _asked(text, caught=bool(spans)):
        over = [(s, e) for s, e in occurrences if span.start < e and s < span.end]
        inside = any(
            (s <= span.start and span.end <= e)
            or (span.start <= s and e <= span.end and span.end - span.start <= e - s + 2)
            for s, e in over
        )
        found.spans.append((span.start, span.end))
        found.clues.append(said)
        found.labels.append(inside if inside or not over else None)
    return found


def _asked(text: str, *, caught: bool) -> Iterator[tuple[Span, list[str]]]:
    said: list[list[str]] = []

    def collect(page: Page, options: Options, depth: int) -> Iterator[Span]:
        scan._ledger().open(page)
        page.caught = caught
        for around, line, one in places(page) if not depth else ():
            said.append([sys.intern(clue) for clue in dict.fromkeys(clues(around, line, one))])
            yield Span(one.start, one.end, str(len(said) - 1), "password")

    real, scan._on = scan._on, collect
    scan._known.cache_clear()
    try:
        for span in scan.scan(text, name=None, strict=False, options=Options(), tick=lambda: None):
            if span.rule.isdigit():
                yield span, said[int(span.rule)]
    finally:
        scan._on = real
        scan._known.cache_clear()


def sets(folder: Path) -> dict[str, list[Text]]:
    """Each author's texts."""
    found = {}
    for path in sorted(folder.glob("*/set.jsonl")):
        rows = map(json.loads, path.read_text("utf-8").splitlines())
        found[path.parent.name] = [read(row["text"], row.get("secrets", [])) for row in rows]
    return found


def harmless(folder: Path) -> list[Text]:
    """Texts without a secret."""
    rows = [row for path in sorted(folder.glob("*.neg")) for row in path.read_text("utf-8").splitlines()]
    return [text for text in (read(json.loads(row), []) for row in rows) if text.clues]


def known_clues(authors: dict[str, list[Text]]) -> set[str]:
    """Those that several authors have, and that hold no word of a secret alone."""
    having: Counter[str] = Counter()
    words: Counter[str] = Counter()
    secret: set[str] = set()
    for texts in authors.values():
        having.update({clue for text in texts for each in text.clues for clue in each})
        words.update({w for text in texts if text.harmless for w in _WORD.findall(text.text.lower())})
        for text in texts:
            for (start, end), label in zip(text.spans, text.labels, strict=True):
                if label:
                    secret.update(_WORD.findall(text.text[start:end].lower()))
    barred = {word for word in secret if words[word] < _AUTHORS}
    return {
        clue for clue, n in having.items() if n >= _AUTHORS and barred.isdisjoint(_WORD.findall(clue.lower()))
    }


def fit(authors: dict[str, list[Text]], more: list[Text]) -> dict[str, int]:
    """The weights, in hundredths of a logit: those before, as far as they hold, and what the texts add."""
    sparse, text, linear_model = map(
        import_module, ("scipy.sparse", "sklearn.feature_extraction.text", "sklearn.linear_model")
    )
    before = {clue: weight / 100 for clue, weight in weights_before().items()}
    rows = [
        (said, label)
        for texts in authors.values()
        for one in texts
        for said, label in zip(one.clues, one.labels, strict=True)
        if label is not None
    ]
    vocabulary = sorted(known_clues(authors))
    counted = text.CountVectorizer(analyzer=lambda said: said, vocabulary=vocabulary, binary=True)
    weights: dict[str, int] = {}
    for _ in range(3 if more else 1):
        model = linear_model.LogisticRegression(solver="liblinear", l1_ratio=1.0, C=_SPARSITY, tol=0.02)
        clues_of = [said for said, _ in rows]
        verdicts = sparse.csr_matrix([[score(before, said)] for said in clues_of])
        model.fit(sparse.hstack([counted.transform(clues_of), verdicts]), [label for _, label in rows])
        *added, kept = model.coef_[0]
        summed = Counter({clue: kept * weight for clue, weight in before.items()})
        summed.update(dict(zip(counted.get_feature_names_out(), added, strict=True)))
        summed[""] += model.intercept_[0]
        rounded = {str(clue): round(100 * weight) for clue, weight in summed.items()}
        weights = {clue: weight for clue, weight in rounded.items() if not clue or abs(weight) >= _SMALLEST}
        hard = [said for one in more for said in one.clues if score(weights, said) > 100 * _HARD]
        rows += [(said, False) for said in hard]
    return weights


def score(weights: Mapping[str, Number], said: list[str]) -> Number:
    """What the clues weigh."""
    return sum([weights[clue] for clue in said if clue in weights], weights[""])


def figures(texts: list[Text], weights: dict[str, int], threshold: int) -> tuple[int, int, int, int]:
    """Texts with secrets that the rules leave, those of them in which then nothing is left; harmless texts
    that the rules touch, and that both do."""
    left = found = ruled = both = 0
    for text in texts:
        said = zip(text.spans, text.clues, strict=True)
        taken = [span for span, clues_of in said if score(weights, clues_of) > threshold]
        if text.harmless:
            ruled += bool(text.rules)
            both += bool(text.rules or taken)
        elif text.left:
            left += 1
            found += all(_is_gone(text.text, secret, taken) for secret in text.left)
    return left, found, ruled, both


def _is_gone(text: str, secret: str, taken: list[tuple[int, int]]) -> bool:
    places = [(at.start(), at.end()) for at in re.finditer(re.escape(secret), text)]
    return all(any(s < end and start < e for s, e in taken) for start, end in places)


def main(args: list[str]) -> None:
    """Trains or tests."""
    verb, folder, *rest = args
    authors = sets(Path(folder))
    more = harmless(Path(rest[0])) if rest else []
    if verb == "train":
        weights = fit(authors, more)
        rows = [f"{weight} {clue}" for clue, weight in sorted(weights.items())]
        _WEIGHTS.write_text("\n".join([*rows, ""]), encoding="utf-8")
        return
    for name in authors:
        weights = fit({other: texts for other, texts in authors.items() if other != name}, more)
        for threshold in range(0, 300, 50):
            print(name, len(weights), threshold, *figures(authors[name], weights, threshold))


if __name__ == "__main__":
    main(sys.argv[1:])
