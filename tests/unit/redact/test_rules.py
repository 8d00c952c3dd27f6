"""Every rule on its own examples, alone and in the surroundings that agents' logs have.

One test per rule, which names all of its failing examples.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator

import pytest

from gittraj.redact import Redactor, rules
from gittraj.redact.examples import expand
from gittraj.redact.load import LineRule
from gittraj.redact.scan import Described
from tests.sizes import size

RULES = rules()
OF_LINES = ("printed", "row")
"""Readers that match whole lines, like the rules of ``data/lines.toml``."""
WHOLE_LINES = ("{}", "a\n{}\nb")
WRAPPINGS = (*WHOLE_LINES, "see {} there", "\x1b[32m{}\x1b[0m", "a\\n{}\\nb", "({})", "é😀 {} 密")


def redact(text: str) -> str:
    return Redactor(key=b"k" * 32).text(text)


def left(clean: str, secrets: Iterable[str]) -> list[str]:
    """Return the secrets that redaction left in a text."""
    return [secret for secret in secrets if secret in clean]


def nested(text: str, depth: int) -> str:
    for _ in range(depth):
        text = json.dumps({"output": text})
    return text


def innermost(document: str, depth: int) -> str:
    for _ in range(depth):
        document = json.loads(document)["output"]
    return document


def missed(rule: Described) -> Iterator[tuple[str, str]]:
    """Yield the examples in which a secret is left, each with the surroundings."""
    for template in rule.good:
        for seed in range(size(2, 8)):
            text, secrets = expand(template, seed)
            clean = redact(text)
            if left(clean, secrets) or "REDACTED-" not in clean:
                yield "alone", clean
        text, secrets = expand(template)
        for wrapping in WHOLE_LINES if rule.id in OF_LINES or isinstance(rule, LineRule) else WRAPPINGS:
            clean = redact(wrapping.replace("{}", text))
            if left(clean, secrets):
                yield wrapping, clean
        for depth in (1, 2, 3):
            clean = redact(nested(text, depth))
            if left(clean, secrets) or "REDACTED-" not in innermost(clean, depth):
                yield f"in {depth} JSON documents", clean


@pytest.mark.parametrize("rule", RULES, ids=[f"{n}-{rule.id}" for n, rule in enumerate(RULES)])
def test_the_good_examples_of_a_rule_are_redacted_in_any_surroundings_and_the_bad_ones_stay(
    rule: Described,
) -> None:
    assert rule.good
    assert [*missed(rule)] == []
    assert [text for text in rule.bad if redact(text) is not text] == []
