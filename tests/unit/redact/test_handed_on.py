"""Values that a shell passes on, in a column, above their name, after a question; values like code."""

from __future__ import annotations

import pytest

from gittraj.redact import Redactor
from tests.redaction.templates import expand

# ``expand`` draws random characters for {alphabet:length}; "lowrare" has only lower-case consonants
VALUES = ("{base62:32}", "{lowrare:4}23{lowrare:3}", "letmein123", "hunter2abc")
HANDED_ON = (
    "echo {} > /run/secrets/db_password",
    "echo {} | tee /run/secrets/x",
    "echo {} > pw.txt",
    "echo {} > password.txt",
    'echo -n "{}" > secrets/api_key',
    'echo "{}" >> ~/.config/x/credentials',
    "printf '{}' > ~/.pgpass",
    "printf '*:*:*:bob:{}' > ~/.pgpass",
    "rsync --password-file <(echo {}) a b",
    "gpg --batch --passphrase-file <(echo {}) x",
)
IN_A_COLUMN = (
    "user,password\nbob,{}",
    "username | password\n---+---\nbob | {}",
    " id | username | password\n----+----------+----------\n  1 | bob      | {}\n(1 row)",
    "INSERT INTO users (name,password) VALUES ('bob','{}')",
)
NAMED_BELOW_OR_ASKED_FOR = ("<value>{}</value>\n<name>db.password</name>", "Password for bob: {}")
LIKE_CODE = (
    "DB_PASSWORD={}",
    "DB_PASSWORD='{}'",
    '{{"password": "{}"}}',
    "password: {}",
    "postgres://u:{}@h/db",
)


def is_stored(template: str, value: str) -> bool:
    value, _ = expand(value, seed=1)
    return value in Redactor(key=b"k" * 32).text(template.replace("{}", value))


@pytest.mark.parametrize("value", VALUES)
@pytest.mark.parametrize("template", HANDED_ON)
def test_a_value_that_a_shell_passes_on_is_removed(template: str, value: str) -> None:
    assert not is_stored(template, value)


def test_input_of_a_command_that_reads_a_passphrase_is_removed() -> None:
    assert not is_stored("printf '%s' '{}' | cryptsetup luksOpen /dev/sdb1 x", "{base62:32}")


@pytest.mark.parametrize("value", VALUES)
@pytest.mark.parametrize("template", IN_A_COLUMN)
def test_a_column_of_passwords_is_removed(template: str, value: str) -> None:
    assert not is_stored(template, value)


@pytest.mark.parametrize("value", VALUES)
@pytest.mark.parametrize("template", NAMED_BELOW_OR_ASKED_FOR)
def test_a_value_above_its_name_or_after_a_question_is_removed(template: str, value: str) -> None:
    assert not is_stored(template, value)


@pytest.mark.parametrize("value", ["abc123}]=xy9", "kx83}.hd72ka", "q7,retries:42x"])
@pytest.mark.parametrize("template", LIKE_CODE)
def test_a_password_that_looks_like_code_is_removed_by_its_name(template: str, value: str) -> None:
    assert not is_stored(template.replace("{{", "{").replace("}}", "}"), value)
