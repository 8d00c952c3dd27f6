"""Names and patterns that a user may add or exempt; strict mode; the results of ``find``."""

from __future__ import annotations

import json

import pytest

from gittraj.errors import RedactionError
from gittraj.redact import Options, Redactor
from gittraj.redact.examples import draw
from gittraj.redact.options import allowance

KEY = b"k" * 32
PASSWORD = draw("word", 9)


def redact(text: str, **options: object) -> str:
    return Redactor(key=KEY, options=Options(**options)).text(text)  # type: ignore[arg-type]


def test_values_of_the_users_own_names_and_patterns_are_redacted() -> None:
    value = draw("base62", 20)
    assert value not in redact(f"acme_door = {value}", names=("acme_door",))
    assert value not in redact(f"see acme-{value}.", shapes=(r"acme-[A-Za-z0-9]{10,40}",))
    assert redact(f"acme_door = {PASSWORD}", names=("acme_door",)).startswith("acme_door = REDACTED-")


@pytest.mark.parametrize(
    "shape",
    [
        "acme-(a+)+b",
        "acme-[a-z]*x",
        "acme-[a-z]+",
        "acme-(?:a{1,9}){1,9}",
        "[a-z]{8}",
        "ab[0-9]{4}",
        r"acme-(.)\1",
        "acme-(",
        "acme-[[a-z]{8}",
    ],
)
def test_a_pattern_that_could_be_slow_is_refused(shape: str) -> None:
    with pytest.raises(RedactionError, match="pattern"):
        Options(shapes=(shape,))


def test_an_allowed_value_stays() -> None:
    text = f"DB_PASSWORD={PASSWORD}"
    assert redact(text, allow=(allowance(PASSWORD, KEY),)) is text
    assert redact(text, allow=(r"[A-Z][a-z]{3,9}[0-9]{1,9}",)) is text
    assert redact(text, allow=("Nothing[0-9]{1,9}",)) is not text
    assert PASSWORD not in repr(Options(allow=(PASSWORD,)))


def test_mail_addresses_are_redacted_only_on_request() -> None:
    text = "mail bob@company.test, see /home/bob/x and git@github.com:x/y"
    assert redact(text) is text
    clean = redact(text, pii=True)
    assert "bob@company.test" not in clean
    assert "/home/bob" not in clean
    assert "git@github.com:x/y" in clean


def test_random_words_are_redacted_only_on_request() -> None:
    word = draw("base62", 32)
    text = f"it printed {word} and went on"
    assert redact(text) is text
    assert word not in redact(text, paranoid=True)


def test_strict_mode_redacts_every_value_and_keeps_the_names() -> None:
    text = "NODE_ENV=production\nexport GREETING='hello there' # c\nURL: http://x.test/a\n\nplain line\n"
    clean = Redactor(key=KEY).text(text, strict=True)
    for name in ("NODE_ENV=", "export GREETING='", "URL: ", "plain line"):
        assert name in clean
    for value in ("production", "hello there", "x.test"):
        assert value not in clean
    assert Redactor(key=KEY).text(clean, strict=True) is clean
    assert Redactor(key=KEY).text(text) is text


def test_strict_json_still_parses() -> None:
    clean = Redactor(key=KEY).text(json.dumps({"a": "one", "b": {"c": 3, "d": "two"}}), strict=True)
    assert set(json.loads(clean)) == {"a", "b"}
    assert "one" not in clean
    assert "two" not in clean


def test_values_found_in_strict_mode_are_learned() -> None:
    one = Redactor(key=KEY)
    value = draw("base62", 14)
    one.learn(f"GREETING={value}", strict=True)
    assert value not in one.text(f"I saw {value} there")


def test_find_returns_rule_and_position() -> None:
    text = f"say\nDB_PASSWORD={PASSWORD}\n"
    (span,) = Redactor(key=KEY).find(text)
    assert (text[span.start : span.end], span.rule, span.kind) == (PASSWORD, "named-password", "password")
