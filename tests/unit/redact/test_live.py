"""Values known from the environment and from credential files, in any form in which they occur."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from urllib.parse import quote

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gittraj.redact import LiveValues, Redactor
from gittraj.redact.examples import draw
from gittraj.redact.live import finder, needles, places

KEY = b"k" * 32
VALUE = "correct horse/" + draw("base62", 10) + '"\u00e9='
WORD = draw("base62", 20, "live")


def redact(text: str, live: LiveValues) -> str:
    return Redactor(key=KEY, live=live).text(text)


def forms(value: str) -> dict[str, str]:
    raw = value.encode()
    return {
        "raw": value,
        "json": json.dumps(value)[1:-1],
        "json, not ASCII": json.dumps(value, ensure_ascii=False)[1:-1],
        "percent": quote(value, safe=""),
        **{f"base64 after {n}": base64.b64encode(b"x" * n + raw + b"tail").decode() for n in range(3)},
        "base64 alone": base64.b64encode(raw).decode(),
    }


@pytest.mark.parametrize("form", forms(VALUE).values(), ids=forms(VALUE).keys())
def test_a_live_value_is_found_in_every_form(form: str) -> None:
    clean = redact(f"say {form} twice {form}", LiveValues([VALUE]))
    assert clean.count("REDACTED-live-") == 2
    assert form not in clean


def test_a_live_value_cut_off_by_dots_is_found() -> None:
    """Without the dots, a value's beginning is no secret. A short secret gets a number instead of a hash."""
    clean = redact(f"say {WORD[:14]}... and {WORD[:13]} so", LiveValues([WORD]))
    assert clean == f"say REDACTED-live-n1... and {WORD[:13]} so"


def test_the_environment_gives_the_values_of_secret_names() -> None:
    live = LiveValues.collect(
        {
            "GITHUB_TOKEN": WORD,
            "DB_PASSWORD": "hunter2-hunter3",
            "DATABASE_URL": "postgres://me:s3cret-in-url@db/x",
            "SHORT_PASSWORD": "abc1",
            "ROOT_PASSWORD": "postgres",
            "SECRET": "/run/secrets/first1",
            "API_TOKEN": "vault.example.com",
            "ADMIN_PASSWORD": "operator7",
            "USER": "operator7",
            "PATH": "/usr/bin1:/bin22222",
            "SSH_AUTH_SOCK": "/tmp/agent.12345678",
        },
        [],
    )
    assert set(live.values) == {WORD, "hunter2-hunter3", "s3cret-in-url"}
    assert WORD not in repr(live)


FILES = {
    ".env": ("# of the app\nexport API_KEY='{}' \nPORT=8080\n", True),
    ".env.local": ("API_KEY={} # a comment\n", True),
    ".env.example": ("API_KEY={}\n", False),
    ".env.sample": ("API_KEY={}\n", False),
    ".netrc": ("machine h login me password {}\n", True),
    ".git-credentials": ("https://me:{}@example.com\n", True),
    ".npmrc": ("//registry.example.com/:_authToken={}\n", True),
    ".pypirc": ("[pypi]\nusername = __token__\npassword = {}\n", True),
    "credentials": ("[default]\naws_access_key_id = x\naws_secret_access_key = {}\n", True),
    "config.json": ('{{\n  "password": "{}",\n}}\n', True),
}


@pytest.mark.parametrize("name", FILES)
def test_credential_files_give_their_values(name: str, tmp_path: Path) -> None:
    template, expected = FILES[name]
    path = tmp_path / name
    path.write_text(template.format(WORD))
    assert LiveValues.collect({}, [path]).values == ((WORD,) if expected else ())


def test_a_file_that_cannot_be_read_gives_nothing(tmp_path: Path) -> None:
    assert LiveValues.collect({}, [tmp_path / "none", tmp_path]).values == ()


@pytest.mark.parametrize("value", [WORD, "p@ss=word:42x==", "key:" + WORD])
@pytest.mark.parametrize(
    "place", ["{}", "X={}", "a {} b", '{{"x":"{}"}}', "--x={};", "({}).", "u:{}@h", "'{}'", "a=b:{},"]
)
def test_a_value_known_by_hash_alone_is_found_as_a_word(value: str, place: str) -> None:
    hashes = LiveValues([value]).hashes(KEY)
    assert value not in "".join(hashes)
    clean = redact(place.format(value), LiveValues(hashes=hashes))
    assert WORD not in clean
    assert "word:42x" not in clean
    assert "REDACTED-" in clean


@pytest.mark.parametrize("after", [", b", ". B", "; b", ") b", ": b", "), b"])
def test_the_sign_after_a_value_known_by_hash_alone_stays(after: str) -> None:
    live = LiveValues(hashes=LiveValues([WORD]).hashes(KEY))
    assert redact(f"a {WORD}{after}", live).endswith(after)


def test_a_hash_with_another_key_matches_nothing() -> None:
    live = LiveValues(hashes=LiveValues([WORD]).hashes(b"other"))
    text = f"a {WORD} b"
    assert redact(text, live) is text


def test_a_learned_value_is_known_to_a_later_process_by_hash() -> None:
    first = Redactor(key=KEY)
    first.learn(f"DB_PASSWORD={WORD}")
    assert "REDACTED-" in redact(f"again {WORD}.", LiveValues(hashes=first.hashes()))


@settings(max_examples=100)
@given(
    values=st.lists(st.text(min_size=8, max_size=30), min_size=1, max_size=40), before=st.text(max_size=20)
)
def test_the_quick_search_misses_no_value(values: list[str], before: str) -> None:
    forms = {value: needles(value) for value in values}
    search = finder(forms)
    for value in values:
        for text in (*(before + form + "x" for form in forms[value]), f"{before}{value[:-1]}..."):
            assert not [*places(text, value, forms[value])] or search(text)


def test_a_value_that_begins_in_a_placeholder_is_redacted_after_it() -> None:
    value = "ab12cd34, and what nobody may read"
    clean = redact(f"it was REDACTED-token-{value}.", LiveValues([value]))
    assert "nobody" not in clean
