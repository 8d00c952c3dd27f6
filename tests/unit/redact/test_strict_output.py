"""Strict redaction: the values that it redacts, and those that it learns."""

from __future__ import annotations

import pytest

from gittraj.config import Config, stamp
from gittraj.record.drain.redactor import redactors
from gittraj.redact import RULESET, LiveValues
from gittraj.redact.events import Redact

DRAWN = "x7Qd2Lw9" + "Rk4Vn8Tz1Bm6"
PRINTED = f"LANG=en_US.UTF-8\nPATH=/usr/local/bin:/usr/bin\nHARMLESS_NAME={DRAWN}\n"


def redactor(**given: object) -> Redact:
    return redactors(Config(**given), key=b"k" * 32, live=LiveValues())()  # type: ignore[arg-type]


def test_every_value_of_a_strict_output_is_redacted() -> None:
    clean = redactor().text(PRINTED, strict=True)
    for value in ("en_US.UTF-8", "/usr/local/bin", DRAWN):
        assert value not in clean
    assert [line.partition("=")[0] for line in clean.splitlines()] == ["LANG", "PATH", "HARMLESS_NAME"]


@pytest.mark.parametrize(
    "output",
    [
        '  "Env": [\n    "REGION=kingfisher",\n  ]\n',
        "#REGION=kingfisher",
        "+REGION=kingfisher\n",
        ".env:REGION=kingfisher\n",
    ],
)
def test_a_value_in_a_list_a_comment_or_a_difference_is_redacted(output: str) -> None:
    assert redactor().text(output, strict=True) == output.replace("kingfisher", "REDACTED-password-n1")


@pytest.mark.parametrize(
    "output",
    [
        "{value}\n",
        '"{value}"\n',
        "     1→{value}\n",
        "     1\t{value}\n     2\t\n",
        "{value}\nzymMlopi9\n",
    ],
)
@pytest.mark.parametrize(
    "value", ["hunter2", "zymMlopi", DRAWN, f"{DRAWN}==", "0123456789abcdef" * 2, "a" * 20]
)
def test_a_strict_output_of_single_words_is_redacted(output: str, value: str) -> None:
    assert value not in redactor().text(output.format(value=value), strict=True)
    assert value in redactor().text(f"{output.format(value='x')} of {value}.") or DRAWN in value


@pytest.mark.parametrize("value", ["plum" + ".marble_2022", "orchid" + "clover354", "Ginger" + "$thistle20"])
def test_a_word_above_the_fields_of_an_entry_is_redacted_there_and_elsewhere(value: str) -> None:
    one = redactor()
    entry = f"{value}\nuser: anna\n\nsome notes on it\n"
    one.learn(entry, strict=True)
    assert value not in one.text(entry, strict=True) + one.text(f"it was {value} then")


@pytest.mark.parametrize(
    "output",
    [
        "running\n",
        "true\n",
        "8080\n",
        "1.24.3-rc1\n",
        "ann@example.org\n",
        "/usr/local/bin\n",
        "src/app.py\n",
        "a first word\nzymMlopi\n",
        "---\nname: ''\n",
        "github.com\n  account: ''\n",
        "[kestrel-2]\nname: ''\n",
        "File created successfully at: /w/config/secrets.txt\n",
        "File created successfully at: .env.production\n",
        "File created successfully at: id_rsa\n",
        "<https://example.com/docs>\n",
        "'see: the docs'\n",
        "<b>Note: the docs</b>\n",
    ],
)
def test_other_single_words_and_reports_stay(output: str) -> None:
    assert redactor().text(output, strict=True) == output


def test_only_values_that_look_random_are_redacted_elsewhere() -> None:
    one = redactor()
    text = f"the locale is en_US.UTF-8, the path /usr/local/bin:/usr/bin and the other {DRAWN} it is"
    assert one.text(text) == text
    known = one.hashes()
    one.learn(PRINTED, strict=True)
    one.text(PRINTED, strict=True)
    clean = one.text(text)
    assert "en_US.UTF-8" in clean
    assert "/usr/local/bin:/usr/bin" in clean
    assert DRAWN not in clean
    assert len(one.hashes() - known) == 1


SETTINGS = {
    "SMTP_PASSWORD": "walnut" + "grove7",
    "JWT_SECRET": "my-signing-" + "phrase-9",
    "SECRET_WORD": "kestrel-" + "otter-55",
    "REDIS_AUTH": "Tr1n1ty" + ".Neo_88",
    "NODE_ENV": "production",
    "REGION": "eu-central-1",
    "FEATURES": "checkout-v2",
    "BACKEND_SECRET": "ENV.fetch('BACKEND')",
}


def test_what_a_secret_name_names_in_a_strict_output_is_redacted_elsewhere() -> None:
    one = redactor()
    one.learn("".join(f"{name}={value}\n" for name, value in SETTINGS.items()), strict=True)
    clean = one.text("; ".join(SETTINGS.values()))
    assert [value for value in SETTINGS.values() if value in clean] == [*SETTINGS.values()][4:]


def test_a_single_word_that_is_no_name_or_version_is_redacted_elsewhere() -> None:
    one = redactor()
    one.learn("blue" + "bird22\n", strict=True)
    one.learn("eu-central-1\n", strict=True)
    assert one.text("blue" + "bird22 in eu-central-1") == "REDACTED-password-n1 in eu-central-1"


def test_different_values_of_a_strict_output_have_different_placeholders() -> None:
    clean = redactor().text("".join(f"{name}={value}\n" for name, value in SETTINGS.items()), strict=True)
    assert len({line.partition("=")[2] for line in clean.splitlines()}) == len(SETTINGS)


def test_each_value_is_counted_once() -> None:
    one = redactor()
    one.text(PRINTED, strict=True)
    assert len(one.replaced()) == 3


def test_the_redactor_uses_the_settings() -> None:
    text = "the door opens with acme_" + "heron7 and ann@herons.net knows"
    assert redactor().text(text) == text
    assert "heron7" not in redactor(shapes=("acme_[a-z0-9]{4,20}",)).text(text)
    assert "ann@herons.net" not in redactor(pii=True).text(text)
    assert "heron7" not in redactor(names=("doorword",)).text("doorword: 'heron7 kingfisher'")


def test_a_stamp_distinguishes_settings() -> None:
    stamps = {
        stamp(Config()),
        stamp(Config(pii=True)),
        stamp(Config(paranoid=True)),
        stamp(Config(names=("a",))),
        stamp(Config(shapes=("a",))),
        stamp(Config(allow=("a",))),
        stamp(Config(strict=("a",))),
    }
    assert len(stamps) == 7
    assert stamp(Config(thinking="clear")) == RULESET
