"""What is passed over unread holds nothing: the gate opens wherever the rules find something."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gittraj.redact import Options, Redactor, rules, scan
from gittraj.redact.anchors import Anchorage
from gittraj.redact.cues import is_live
from gittraj.redact.examples import draw, expand
from gittraj.redact.ledger import Ledger
from gittraj.redact.memory import Memory
from gittraj.redact.rules import Described, Page, Reader
from gittraj.redact.vocabulary import Vocabulary
from tests.sizes import size

from .test_engine import texts

RULES = rules()


def found(text: str) -> set[tuple[int, int]]:
    spans = scan.scan(text, name=None, strict=False, options=Options(), tick=lambda: None)
    return {(span.start, span.end) for span in spans}


def ungated(text: str) -> set[tuple[int, int]]:
    """What is found when every reader is asked, on a page that knows of no line what it has."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Ledger, "open", lambda self, page: -1)
        patch.setattr(Memory, "get", lambda self, text: None)
        return found(text)


@pytest.mark.parametrize("rule", RULES, ids=[f"{n}-{rule.id}" for n, rule in enumerate(RULES)])
def test_the_gate_opens_for_every_example(rule: Described) -> None:
    texts = [expand(template, seed)[0] for template in rule.good for seed in range(3)]
    assert [text for text in texts if found(text) != ungated(text)] == []


@pytest.mark.parametrize("reader", scan.readers(), ids=lambda reader: reader.id)
def test_a_reader_reaches_its_own_examples_by_its_own_anchors(reader: Reader) -> None:
    """Not by another's, which may change."""
    for text in {expand(template, seed)[0] for template in reader.good for seed in range(3)}:
        if any(True for _ in reader.find(page(text))):
            assert Ledger(Anchorage([reader.anchors()]), is_live).open(page(text)), text


def page(text: str) -> Page:
    return Page(text, lambda: None)


WORDS = """
    sessionId type name value codex uuid total_tokens path/to/keys.md a@v1 password token api key -p --
    Hunter22!x admin:Hunter22!x tool_use x,y 2026-01-01T00:00:00Z backup-keys = 12 login unlock
"""
words = st.sampled_from([*WORDS.split(), "token: x1y2z3w4", "the key is x1y2z3w4", draw("url64", 24)])
values = st.recursive(
    words | st.integers(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(words, inner, max_size=4),
)


@settings(max_examples=size(100, 400))
@given(text=texts)
def test_the_gate_opens_for_any_text_with_a_secret(text: str) -> None:
    assert found(text) == ungated(text)


@pytest.mark.shared
def test_the_gate_opens_in_published_sessions(samples) -> None:  # type: ignore[no-untyped-def]
    for path in sorted(samples.rglob("*.jsonl"))[:12]:
        for line in path.read_text(encoding="utf-8", errors="replace").splitlines()[:60]:
            if len(line) < 20_000:
                assert found(line) == ungated(line)


def test_a_vocabulary_judges_a_word_once() -> None:
    asked: list[str] = []

    def told(words: str) -> list[int]:
        asked.append(words)
        return [at for at in range(len(words)) if words.startswith("key", at)]

    vocabulary = Vocabulary(told)
    assert vocabulary.telling(frozenset(["monkey", "dog"])) == ["monkey"]
    assert vocabulary.telling(frozenset(["dog"])) == []
    assert vocabulary.telling(frozenset(["dog", "keys"])) == ["keys"]
    assert asked[1:] == ["keys"]


def test_what_a_text_has_does_not_depend_on_others() -> None:
    text = 'pincrypt(`Smmer328`\nκωδικό"'
    alone = [(span.start, span.end) for span in Redactor(key=b"k" * 32).find(text)]
    scan._ledger.cache_clear()
    scan._known.cache_clear()
    scan.prepare([text, "pin", "İ"])
    found = scan.scan(text, name=None, strict=False, options=Options(), tick=lambda: None)
    assert [(span.start, span.end) for span in found] == alone
