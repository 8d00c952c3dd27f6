"""The secrets in a trajectory file are redacted, and nothing else in it changes."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

import pytest
from hypothesis import given

from gittraj.errors import RedactionError
from gittraj.precommit.content import LARGEST, clean, decode, learn
from gittraj.redact import Redactor, Span
from tests.unit.strategies import jsons

TOKEN = "gh" + "p_" + "Xk29fQz7Lm41Rt8vBn63Wd5yHc0sJu2aPe4G"
KEY = bytes(32)


def cleaned(text: str) -> str:
    redactor = Redactor(key=KEY)
    learn(redactor, text)
    return clean(redactor, text).decode()


@pytest.mark.parametrize(
    "text",
    [
        f"# Notes\r\n\r\n    export TOKEN={TOKEN}\r\n",
        f'{{ "a":"{TOKEN}",\t"n": [1.0, 1e5],"u": "\\u00e9\\/" }}',
        f'{{"a": 1}}\n{{"b":  "{TOKEN}"}}\n\n{{"cut": "of',
        f"\ufeff{TOKEN}",
    ],
    ids=["Markdown", "JSON", "JSON Lines", "byte order mark"],
)
def test_only_the_secret_is_replaced(text: str) -> None:
    before, after = text.split(TOKEN)
    found = cleaned(text)
    assert found.startswith(f"{before}REDACTED-github-token-")
    assert found.endswith(after)
    assert len(found) < len(text)
    assert cleaned(found) == found


def test_a_secret_in_json_escapes_is_redacted() -> None:
    """Only parsing the JSON shows such a secret; the text is then written again."""
    spelt = "".join(f"\\u{ord(sign):04x}" for sign in TOKEN)
    found = cleaned(f'{{\n  "a": "{spelt}"\n}}\n')
    assert TOKEN not in str(json.loads(found))
    assert "REDACTED-" in json.loads(found)["a"]
    assert found.endswith("\n}\n")


def test_a_value_is_redacted_by_the_name_next_to_it() -> None:
    word = "tulip" + "-marble-" + "47"
    found = cleaned(json.dumps({"env": [{"name": "DB_PASSWORD", "value": word}], "said": f"it is {word}"}))
    assert word not in found


@given(jsons())
def test_json_stays_json(value: object) -> None:
    for text in (json.dumps(value), json.dumps(value, indent=2) + "\n"):
        json.loads(cleaned(text))


@pytest.mark.parametrize(
    "data", [b"\xff\xfea\0", b"caf\xe9", bytes(LARGEST + 1)], ids=["UTF-16", "Latin-1", "large"]
)
def test_data_that_is_not_text_is_refused(data: bytes) -> None:
    with pytest.raises(RedactionError):
        decode(data)


def test_json_nested_too_deeply_is_refused() -> None:
    with pytest.raises(RedactionError, match="nested too deeply"):
        cleaned("[" * 200_000 + "]" * 200_000)


class ByName:
    """A redactor that recognizes a secret only by its field."""

    counts: Mapping[str, int] = {}

    def learn(self, text: str, *, name: str | None = None, strict: bool = False) -> None:
        pass

    def text(self, text: str, *, name: str | None = None, strict: bool = False) -> str:
        return "gone" if name == "pin" else text

    def find(self, text: str, *, name: str | None = None, strict: bool = False) -> Sequence[Span]:
        return []

    def hashes(self) -> frozenset[str]:
        return frozenset()


def test_a_secret_that_only_the_structure_reveals_is_redacted() -> None:
    """The JSON is then written again, in a similar form."""
    assert clean(ByName(), '{\n  "a": [1],\n  "pin": "x"\n}\n') == (
        b'{\n  "a": [\n    1\n  ],\n  "pin": "gone"\n}\n'
    )
    assert clean(ByName(), '{"pin":"x", "b": "\\ud800 é"}') == b'{"pin": "gone", "b": "\\ud800 \\u00e9"}'
    assert clean(ByName(), '{"a":1}\n{"pin":"x"}\n') == b'{"a":1}\n{"pin":"gone"}\n'


def test_half_a_surrogate_pair_is_refused() -> None:
    with pytest.raises(RedactionError):
        clean(ByName(), '{"a":"é"}\n{"pin":"x","b":"\\ud800 é"}\n')
