"""What the judge is told of a word, and that it decides by nothing else."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gittraj.redact import Redactor, judge
from gittraj.redact.common import DULL, STOP
from gittraj.redact.examples import draw
from gittraj.redact.judge import judged, places, weights
from gittraj.redact.judge.candidates import candidates
from gittraj.redact.judge.clues import Surroundings
from gittraj.redact.judge.forms import form
from gittraj.redact.judge.hints import HINTS
from gittraj.redact.rules import Page
from tests.sizes import size

from .test_engine import KEY, texts

WORDS = st.text(st.sampled_from("abcXYZ0129_-.!/:=@ é密"), min_size=4, max_size=40)


def page(text: str) -> Page:
    return Page(text, lambda: None)


@pytest.mark.parametrize(
    ("value", "kind"),
    [
        (draw("digits", 9), "digits"),
        (draw("hex", 40), "digest"),
        (draw("hex", 20), "hex"),
        (draw("base62", 24), "random"),
        (draw("word", 9), "word1"),
        ("blue-green-red", "words"),
        ("correct horse battery", "phrase"),
        ("src/main/app.py", "path"),
        ("--force", "led"),
        ("2026-01-02", "date"),
        ("getValue", "camel"),
        ("MAX_SIZE", "constant"),
        ("größer", "foreign"),
    ],
)
def test_a_word_has_a_kind(value: str, kind: str) -> None:
    assert form(value).kind == kind


@given(value=WORDS, letters=st.permutations("abcdefghijklmnopqrstuvwxyz"))
def test_a_form_holds_no_part_of_the_word(value: str, letters: list[str]) -> None:
    """Its clues are of a small set of names, whatever the letters are."""
    drawn = "".join(letters)[:12] + "7" + value
    for clue in form(drawn[:100]).clues:
        assert not any(drawn[at : at + 5] in clue for at in range(8)), clue


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("PGPASSWORD=abcd9", {"PGPASSWORD=abcd9", "abcd9"}),
        ("user:abcd9", {"user:abcd9", "abcd9"}),
        ("redis://u:abcd9@host", {"redis://u:abcd9@host", "abcd9"}),
        ("corp/abcd9", {"corp/abcd9", "abcd9"}),
        ("u=jo,p=abcd9", {"u=jo,p=abcd9", "jo,p=abcd9", "abcd9"}),
        ("call('abcd9!')", {"call", "abcd9!"}),
        ('"one two three"', {"one two three", "three"}),
        ("密码是abcd9，谢谢", {"abcd9"}),
        ("REDACTED-password-n1", set()),
        ("abcd9efgh...", set()),
        ("API_KEY=****abcd", set()),
        ("bob:abcd9@(db:3306)/", {"bob:abcd9@(db:3306)/", "abcd9", "abcd9@(db:3306)/", "3306)/"}),
        ("force_zip64", set()),
        ("sha256:" + draw("hex", 64), set()),
        (draw("base62", 64), set()),
    ],
)
def test_the_candidates_of_a_line(line: str, found: set[str]) -> None:
    assert {line[one.start : one.end] for one in candidates(line, 0, len(line))} == found


def test_what_stands_around_a_word_is_told() -> None:
    text = "$ toolctl login -u ann -x abcd9\ndone"
    around = Surroundings(page(text))
    one = next(c for c in candidates(text, 0, 31) if text[c.start : c.end] == "abcd9")
    said = around.clues(0, one, form("abcd9").kind)
    assert {"option -x", "toolctl -x", "short option", "-1 x", "after $", "word-2 ann"} <= {*said}
    assert "word1 option" in said


def test_a_line_with_a_hint_is_read() -> None:
    one = page("only words\nconnect box x1y2z3w4\nonly words")
    assert {line for _, line, _ in places(one)} == {1}


def test_of_a_short_page_with_a_secret_all_lines_are_read() -> None:
    one = page("some words\nx1y2z3w4")
    one.caught = True
    assert {line for _, line, _ in places(one)} == {0, 1}


def test_lines_without_a_cue_near_are_not_read() -> None:
    text = "\n".join(["x1y2z3w4"] * 9 + ["password of the box"] + ["x1y2z3w4"] * 9)
    one = page(text)
    assert {line for _, line, _ in places(one)} == set(range(7, 13))
    assert list(places(page("only words\nx1y2z3w4"))) == []


@settings(max_examples=size(75, 300))
@given(text=texts)
def test_any_text_is_judged(text: str) -> None:
    one = page(text)
    for span in judged(one):
        assert 0 <= span.start < span.end <= len(one.text)
        assert "\n" not in one.text[span.start : span.end]


SEEN = [
    "emqx ctl admins login add migrator {}",
    "I rotated the grafana login: admin and {} for now",
    'auth("ann", "{}")',
    "the usual pass with the year ({}), tell me if it works",
]


@pytest.mark.parametrize("place", SEEN)
def test_a_form_that_no_rule_knows_is_seen(place: str) -> None:
    secret = draw("base36low", 11)
    found = [*judged(page(place.format(secret)))]
    assert found or secret not in Redactor(key=KEY).text(place.format(secret))


@pytest.mark.parametrize(
    "text",
    [
        "the password field is validated on the server",
        "login failed for user ann, see docs/auth.md",
        f"key cards: {draw('hex', 40)} is the commit",
        "commit " + draw("hex", 40) + "\nauthor: key owner",
    ],
)
def test_what_only_talks_stays(text: str) -> None:
    assert [*judged(page(text))] == []


@pytest.mark.parametrize(
    "text",
    [
        '"hasło": "Hasło musi mieć co najmniej 12 znaków"',
        "MOT_DE_PASSE=à_remplacer",
        "password=%My_PASSWORD%",
        "Using token: xoxb-****-****-Cwgv",
        "user.signingkey=" + draw("hexup", 16),
        '{"by":{"password":51047,"secret":21374}}',
        "The header of the JWT token is base64url-encoded",
        "KEYSTORE_PASSWORD=@KEYSTORE_PASSWORD@",
        "SID                  : S-1-5-21-123456-234567-345678-1001",
        "Tokens:              edge-proxy-token-9fk2x",
        "250-SIZE 14918000\n250-AUTH PLAIN LOGIN\n250-STARTTLS",
        "SPEC CHECKSUMS:\n  FirebaseAuth: " + draw("hex", 40),
    ],
)
def test_what_a_rule_alone_would_take_stays(text: str) -> None:
    assert Redactor(key=KEY).text(text) is text


def test_the_weights_can_be_read() -> None:
    known = weights()
    assert "" in known
    assert 500 < len(known) < 7000
    assert all(re.search(r"\d{4}", clue) is None for clue in known)


def test_what_is_called_usual_has_no_hope() -> None:
    """By its form; so the shortcut changes nothing but the time."""
    words = {word for word in (*DULL, *STOP, *HINTS) if re.fullmatch("[a-z]{4,11}", word)}
    usual = [word for word in (*words, *(word.capitalize() for word in words)) if judge.is_usual(word)]
    assert len(usual) > len(words)
    assert not any(judge._has_hope(word) for word in usual)
    assert not judge.is_usual("asdfghjkl")
    assert not judge.is_usual("xkvqzwtp")


def test_a_number_that_looks_like_a_year_may_be_a_pin() -> None:
    """Of which the form says little, and what stands around it much."""
    pin = f"{2090}"
    assert pin not in Redactor(key=KEY).text(f"die PIN {pin}, bitte nicht weitergeben")
