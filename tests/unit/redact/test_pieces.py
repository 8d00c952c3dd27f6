"""A long text is read in overlapping fragments; only a fragment that takes too long is left out."""

from __future__ import annotations

import itertools
from itertools import pairwise

import pytest

from gittraj.errors import RedactionError
from gittraj.redact import Options, Redactor, rows
from gittraj.redact.examples import draw
from gittraj.redact.scan import UNSCANNABLE, fragments, scan
from tests.sizes import size, some

LINE = "a line of a log that says nothing\n"


def test_the_fragments_of_a_text_overlap_and_cover_it() -> None:
    for text in (LINE * 9000, "word " * 60_000, "x" * 250_000):
        found = list(fragments(text))
        assert found[0][0] == 0 and found[-1][1] == len(text)
        for (start, stop), (following, _) in pairwise(found):
            assert start < following < stop <= start + 100_000


def test_secrets_of_a_long_text_are_redacted_wherever_they_are() -> None:
    secrets = [f"ghp_{draw('base62', 36, n)}" for n in range(60)]
    text = "".join(f"{LINE * 200}token: {secret}\n" for secret in secrets)
    clean = Redactor(key=b"k" * 32, seconds_per_text=60).text(text)
    assert not [secret for secret in secrets if secret in clean]
    assert clean.count(LINE) == text.count(LINE)


def test_a_long_private_key_is_redacted_wherever_a_fragment_ends() -> None:
    body = [draw("base64", 64, n) for n in range(105)]
    begin, end = (f"-----{word} PGP {'private'.upper()} KEY BLOCK-----" for word in ("BEGIN", "END"))
    key = "\n".join([begin, "", *body, "=k3Jd", end, ""])
    for before in range(93_000, 100_000, 1_100):
        text = LINE * (before // len(LINE)) + key + LINE * 400
        clean = Redactor(key=b"k" * 32, seconds_per_text=60).text(text)
        assert not [line for line in body if line in clean]


def test_a_value_longer_than_the_overlap_is_redacted_completely() -> None:
    value = draw("base62", 60_000, 1)
    clean = Redactor(key=b"k" * 32, seconds_per_text=60).text(f"{LINE * 2700}KEYSTORE_PASSWORD={value}\n")
    assert not [at for at in range(0, len(value), 20) if value[at : at + 20] in clean]


@pytest.mark.parametrize(
    "table",
    some(
        [
            ("login,email,password", "bob{n},bob{n}@example.org,{value}", size(2400, 3500)),
            ("  id   | password \n-------+------------", " {n} | {value}", size(600, 3500)),
            ("+------+------------+\n| id   | password   |\n+------+------------+", "| {n} | {value} |", 600),
            ("USER      PASSWORD      ROLE", "bob{n}      {value}      admin", 600),
            ("User      Password", "bob{n}      {value}", 600),
            ("user    password\n------  -----------", "bob{n}  {value}", 600),
        ],
        1,
    ),
)
def test_a_table_is_read_to_its_end(table: tuple[str, str, int]) -> None:
    heading, row, count = table
    values = [draw("base62", 24, n) for n in range(count)]
    body = "".join(f"{row.format(n=n, value=value)}\n" for n, value in enumerate(values))
    text = f"{LINE}{heading}\n{body}\n{LINE}"
    spans = [*Redactor(key=b"k" * 32, seconds_per_text=60).find(text)]
    found = {text[span.start : span.end] for span in spans}
    assert not [value for value in values if value not in found]
    assert not [span for span in spans if span.start < len(LINE) or span.end > len(text) - len(LINE)]


@pytest.mark.parametrize("row", ["USER  PASSWORD\n", "| user | password |\n+------+------+\n"])
def test_a_table_whose_rows_all_look_like_headings_takes_linear_time(
    row: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In an ordinary run (not nightly) with a tenth of the rows per heading, and so a tenth of the text."""
    few = rows._MAX_ROWS // size(10, 1)
    assert few <= 500
    monkeypatch.setattr(rows, "_MAX_ROWS", few)

    def ticks(number: int) -> int:
        count = itertools.count()
        list(
            scan(row * number, name=None, strict=False, options=Options(), tick=lambda: next(count) and None)
        )
        return next(count)

    assert ticks(few * 16 // 5) < 3 * ticks(few * 8 // 5)


def test_a_fragment_that_takes_too_long_is_left_out_and_the_rest_stays() -> None:
    text, read = "the password field of a form\n" * 9000, 0

    def renew() -> None:
        nonlocal read
        read += 1

    def tick() -> None:
        if read == 2:
            raise RedactionError("no time")

    (span,) = scan(text, name=None, strict=False, options=Options(), tick=tick, renew=renew)
    assert span.rule == UNSCANNABLE
    assert (span.start, span.end) == list(fragments(text))[1]
