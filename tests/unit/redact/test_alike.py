"""What stands where a secret stood, and what a list of numbers leaves of JSON."""

from __future__ import annotations

import json

import pytest

from gittraj.redact import Redactor
from gittraj.redact.examples import draw

KEY = b"k" * 32
CODES = [f"{draw('base36low', 5, n)}-{draw('base36low', 5, -n - 1)}" for n in range(4)]
LETTERS = "qwzpt-vkhsd"  # a code that nothing tells but its neighbours


def redact(text: str) -> str:
    return Redactor(key=KEY).text(text)


@pytest.mark.parametrize("separator", ["\n- ", "\n2. ", ", "])
def test_the_others_of_a_list_go_with_the_one_that_was_found(separator: str) -> None:
    listed = separator.join(["", *CODES[:2], LETTERS, *CODES[2:]])
    text = "Recovery codes:" + separator[:1] + listed.strip(",")
    clean = redact(text)
    assert not [code for code in (*CODES, LETTERS) if code in clean], clean


def test_the_same_place_of_the_next_row_is_a_secret_too() -> None:
    first, second = draw("base62", 14), draw("word", 9)
    rows = [
        f"set access {who} with {word} on password db\n" for who, word in (("eve", first), ("bob", second))
    ]
    clean = redact("".join(rows))
    assert first not in clean
    assert second not in clean


def test_no_list_is_touched_in_which_nothing_was_found() -> None:
    text = "Releases:\n- v1abc-22def\n- v2abc-33def\nwith a password field\n"
    assert redact(text) == text


def test_what_has_a_name_of_its_own_is_none() -> None:
    secret = draw("base62", 24)
    clean = redact(f"DB_HOST=prod1-eu2\nDB_PASSWORD={secret}\nDB_NAME=shop2-live3\n")
    assert clean.splitlines()[::2] == ["DB_HOST=prod1-eu2", "DB_NAME=shop2-live3"]


@pytest.mark.parametrize(
    "text",
    ["[{}]", '{{"secretKey": [{}]}}', "$ cat keypair.json\n[{}]", '{{"a": "{{\\"private_key\\": [{}]}}"}}'],
)
def test_bytes_in_a_list_leave_json_what_it_is(text: str) -> None:
    numbers = ",".join(str((7 * n + 13) % 256) for n in range(64))
    clean = redact(text.format(numbers))
    json.loads(clean.rpartition("\n")[2])
    assert numbers not in clean or text == "[{}]"
