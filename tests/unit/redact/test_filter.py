"""The redactor as a filter."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gittraj.errors import RedactionError
from gittraj.redact import Redactor
from gittraj.redact.filter import clean_line, clean_text, try_rules

TOKEN = "ghp_" + "x7Qd2Lw9Rk4Vn8Tz1Bm6Hs3Yc5Jf0Gp2AeUi"
PASSWORD = "Tr0ub4" + "dor-and-3"
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)


def redactor() -> Redactor:
    return Redactor(key=b"k" * 32)


def test_only_the_secret_in_a_line_is_replaced() -> None:
    clean, (hit,) = clean_text(redactor(), f"first\nthe {TOKEN} is here\n")
    assert (hit.line, hit.column, hit.end - hit.start) == (2, 5, len(TOKEN))
    assert clean.startswith("first\nthe REDACTED-")
    assert clean.endswith(" is here\n")


def test_a_secret_that_only_a_later_line_names_is_replaced_everywhere() -> None:
    clean, hits = clean_text(redactor(), f"{PASSWORD} it is\npassword: '{PASSWORD}'\n")
    assert PASSWORD not in clean
    assert [hit.line for hit in hits] == [1, 2]


@pytest.mark.parametrize(
    "line",
    [
        json.dumps({"a": [{"b": TOKEN}]}),
        json.dumps({TOKEN: 1}),
        json.dumps({"password": PASSWORD}),
        json.dumps({"argv": ["tool", "--password", PASSWORD]}),
        json.dumps({"name": "DB_PASSWORD", "value": PASSWORD}),
        json.dumps({"log": json.dumps({"line": json.dumps({"password": PASSWORD})})}),
        json.dumps(f"export TOKEN={TOKEN}"),
    ],
)
def test_a_line_of_json_stays_valid(line: str) -> None:
    clean = clean_line(redactor(), line + "\n")
    assert TOKEN not in clean
    assert PASSWORD not in clean
    assert clean.endswith("\n")
    json.loads(clean)


@pytest.mark.parametrize(
    "line", [f"not json {TOKEN}\n", f'{{"a": "{TOKEN}", "a": "x"}}\n', f'{{"a": "{TOKEN}\n']
)
def test_a_line_that_is_not_json_is_read_as_text(line: str) -> None:
    assert TOKEN not in clean_line(redactor(), line)


@pytest.mark.parametrize("line", ["\n", '{"b":1,  "a":2.50}\r\n', "[]", '"caf\\u00e9"\n', "null\n"])
def test_clean_input_stays_byte_for_byte(line: str) -> None:
    assert clean_line(redactor(), line) == line


@given(JSON)
def test_input_that_is_not_text_is_not_changed(value: object) -> None:
    line = json.dumps({"value": value, "token": TOKEN})
    clean = json.loads(clean_line(redactor(), line))
    assert clean["token"] != TOKEN
    assert clean["value"] == value or "REDACTED-" in json.dumps(clean["value"])


def test_json_nested_too_deeply_is_refused() -> None:
    with pytest.raises(RedactionError):
        clean_line(redactor(), "[" * 100_000 + "]" * 100_000)


def test_the_rules_own_examples_are_redacted() -> None:
    trials = list(try_rules(b"k" * 32))
    assert {trial.harmless for trial in trials} == {True, False}
    assert [trial for trial in trials if not trial.passed] == []
