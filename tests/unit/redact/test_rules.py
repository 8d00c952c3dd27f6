"""Every rule on its own examples, alone and in the surroundings that agents' logs have.

One test per rule, which names all of its failing examples.
"""

from __future__ import annotations

import json
from collections.abc import Iterable

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

each_rule = pytest.mark.parametrize("rule", RULES, ids=[f"{n}-{rule.id}" for n, rule in enumerate(RULES)])


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


@each_rule
def test_the_secrets_of_a_rules_good_examples_are_redacted(rule: Described) -> None:
    assert rule.good
    missed = []
    for template in rule.good:
        for seed in range(size(2, 8)):
            text, secrets = expand(template, seed)
            clean = redact(text)
            if left(clean, secrets) or "REDACTED-" not in clean:
                missed.append(clean)
    assert missed == []


@each_rule
def test_the_secrets_of_a_rule_are_redacted_in_any_surroundings(rule: Described) -> None:
    missed = []
    for template in rule.good:
        text, secrets = expand(template)
        for wrapping in WHOLE_LINES if rule.id in OF_LINES or isinstance(rule, LineRule) else WRAPPINGS:
            clean = redact(wrapping.replace("{}", text))
            if left(clean, secrets):
                missed.append(clean)
    assert missed == []


@each_rule
def test_the_secrets_of_a_rule_are_redacted_in_nested_json_that_still_parses(rule: Described) -> None:
    missed = []
    for template in rule.good:
        text, secrets = expand(template)
        for depth in (1, 2, 3):
            clean = redact(nested(text, depth))
            if left(clean, secrets) or "REDACTED-" not in innermost(clean, depth):
                missed.append(clean)
    assert missed == []


@each_rule
def test_a_rules_bad_examples_stay(rule: Described) -> None:
    assert [text for text in rule.bad if redact(text) is not text] == []
