"""Every rule against its own examples, alone and in the places where agents' logs have them."""

from __future__ import annotations

import json

import pytest

from gittraj.redact import Redactor, rules
from gittraj.redact.examples import expand
from gittraj.redact.rules import Described, Rule

RULES = rules()
GOOD = [pytest.param(rule, good, id=f"{rule.id}-{good[:24]}") for rule in RULES for good in rule.good]
BAD = [pytest.param(bad, id=f"{rule.id}-{bad[:24]}") for rule in RULES for bad in rule.bad]
_OF_LINES = ("table", "line", "value-first", "phrase", "printed", "told", "answered")  # they read whole lines
WRAPPINGS = ("{}", "see {} there", "\x1b[32m{}\x1b[0m", "a\\n{}\\nb", "({})", "a\n{}\nb", "é😀 {} 密")


def redact(text: str) -> str:
    return Redactor(key=b"k" * 32).text(text)


@pytest.mark.parametrize(("rule", "template"), GOOD)
def test_the_secret_of_a_good_example_goes(rule: Described, template: str) -> None:
    for seed in range(8):
        text, secrets = expand(template, seed)
        redactor = Redactor(key=b"k" * 32)
        clean = redactor.text(text)
        assert not [secret for secret in secrets if secret in clean], clean
        assert "REDACTED-" in clean


@pytest.mark.parametrize(("rule", "template"), GOOD)
@pytest.mark.parametrize("wrapping", WRAPPINGS)
def test_it_goes_wherever_it_stands(rule: Described, template: str, wrapping: str) -> None:
    if rule.id in _OF_LINES and wrapping not in ("{}", "a\n{}\nb"):
        pytest.skip("the rule reads whole lines")
    text, secrets = expand(template)
    clean = redact(wrapping.replace("{}", text))
    assert not [secret for secret in secrets if secret in clean], clean


@pytest.mark.parametrize(("rule", "template"), GOOD)
@pytest.mark.parametrize("depth", [1, 2, 3])
def test_it_goes_from_nested_json_that_still_parses(rule: Described, template: str, depth: int) -> None:
    text, secrets = expand(template)
    document = text
    for _ in range(depth):
        document = json.dumps({"output": document})
    clean = redact(document)
    assert not [secret for secret in secrets if secret in clean], clean
    for _ in range(depth):
        clean = json.loads(clean)["output"]
    assert "REDACTED-" in clean


@pytest.mark.parametrize("text", BAD)
def test_a_bad_example_stays(text: str) -> None:
    assert redact(text) is text


def test_every_rule_has_an_example_and_its_anchors_are_literal() -> None:
    for rule in RULES:
        assert rule.good, rule.id
        if isinstance(rule, Rule) and rule.fold:
            assert all(anchor == anchor.lower() for anchor in rule.anchors), rule.id
