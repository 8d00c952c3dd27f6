"""A secret is redacted however a log wrapped or encoded it, and a clean text stays the same object."""

from __future__ import annotations

import base64
import json
from urllib.parse import quote

import pytest

from gittraj.redact import Redactor
from gittraj.redact.examples import draw
from gittraj.redact.view import View

TOKEN = "ghp_" + draw("base62", 36)
PASSWORD = draw("word", 9)
BROKEN = {
    "colours": (f"token \x1b[1m{TOKEN[:12]}\x1b[0m{TOKEN[12:]} end", [TOKEN[:12], TOKEN[12:]]),
    "colours written out": (f"x \\u001b[31m{TOKEN[:9]}\\u001b[0m{TOKEN[9:]} y", [TOKEN[9:]]),
    "concatenation": (f'key = "{TOKEN[:16]}" +\n      "{TOKEN[16:]}"', [TOKEN[:16], TOKEN[16:]]),
    "adjacent literals": (f'key = ("{TOKEN[:16]}"\n      "{TOKEN[16:]}")', [TOKEN[:16], TOKEN[16:]]),
}
WRAPPED = {
    "base64": base64.b64encode(f"db_password={PASSWORD}\n".encode()).decode(),
    "base64 of JSON": base64.b64encode(json.dumps({"password": PASSWORD}).encode()).decode(),
    "base64 of a token": base64.b64encode(f"token: {TOKEN}".encode()).decode(),
}


def redact(text: str) -> str:
    return Redactor(key=b"k" * 32).text(text)


@pytest.mark.parametrize(("text", "pieces"), BROKEN.values(), ids=BROKEN.keys())
def test_no_fragment_of_a_wrapped_token_is_left(text: str, pieces: list[str]) -> None:
    clean = redact(text)
    assert not [piece for piece in pieces if piece in clean], clean


@pytest.mark.parametrize("wrapped", WRAPPED.values(), ids=WRAPPED.keys())
def test_a_secret_in_base64_is_redacted(wrapped: str) -> None:
    assert wrapped not in redact(f"  config: {wrapped}\nnext: 1")


def test_base64_without_a_secret_stays() -> None:
    text = "note: " + base64.b64encode(b"nothing to see here: a sentence and no more").decode()
    assert redact(text) is text


def test_an_image_in_base64_stays() -> None:
    text = "iVBORw0KGgo" + draw("base64", 4000)
    assert Redactor(key=b"k").text(text, name="data") is text


@pytest.mark.parametrize("depth", range(5))
def test_values_before_their_names_are_redacted_at_any_depth(depth: int) -> None:
    document = json.dumps({"value": PASSWORD, "name": "DB_PASSWORD"})
    for _ in range(depth):
        document = json.dumps({"output": document})
    clean = redact(document)
    assert PASSWORD not in clean
    for _ in range(depth):
        clean = json.loads(clean)["output"]
    assert json.loads(clean)["name"] == "DB_PASSWORD"


def test_a_number_is_replaced_by_a_string() -> None:
    clean = redact(json.dumps({"password": 48151623, "n": 1}))
    assert json.loads(clean) == {"password": "REDACTED-password-n1", "n": 1}


@pytest.mark.parametrize(
    "text",
    ["plain", 'a\\"b', "é😀\\u00e9x", '"abc" +\n "def"', "\x1b[31mgh\x1b[0mp", "&quot;x&quot;", quote("ü x")],
)
def test_every_position_of_a_view_maps_back(text: str) -> None:
    view = View(text)
    assert len(view.lower) == len(view.text)
    for at in range(len(view.text)):
        start, end = view.origin(at, at + 1)
        assert 0 <= start < end <= len(text)
        if view.text[at].isalpha() and "\\" not in text[start:end]:
            assert view.text[at] in text[start:end]


def test_the_next_line_is_not_taken_for_the_rest_of_a_password() -> None:
    password = "Tiger" + "4711xx99"
    text = f"export DB_NAME=production DB_PASSWORD={password}\nbuild-0042abcd started\n"
    (found,) = Redactor(key=b"k" * 32).find(text)
    assert text[found.start : found.end] == password
