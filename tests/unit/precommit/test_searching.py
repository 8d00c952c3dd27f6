"""A known secret's line and its variable's name, without the secret itself."""

from __future__ import annotations

import base64
from pathlib import Path

import pytest

from gittraj.precommit.searching import Place, Search, name_of
from gittraj.redact import LiveValues

VALUE = "7Gk" + "2pQ9zW4mXv" + "8Rt1Nb"
KEY = bytes(32)
SEARCH = Search(LiveValues([VALUE]), key=KEY)


@pytest.mark.parametrize(
    "form",
    [VALUE, f'"{VALUE}"', base64.b64encode(VALUE.encode()).decode()],
    ids=["plain", "quoted", "base64"],
)
def test_a_secret_is_found_with_its_line(form: str) -> None:
    assert SEARCH.find(f"\n\nx = {form}\n", "") == [Place(line=3, value=VALUE)]


def test_each_occurrence_is_reported_in_order() -> None:
    assert [place.line for place in SEARCH.find(f"{VALUE}\n\n{VALUE}\n", "")] == [1, 3]


def test_a_secret_that_was_there_before_is_not_reported() -> None:
    assert SEARCH.find(f"a\n{VALUE}\n", f"{VALUE}\n") == []


def test_a_secret_known_only_by_its_hash_is_found() -> None:
    search = Search(LiveValues(hashes=LiveValues([VALUE]).hashes(KEY)), key=KEY)
    assert search.find(f"a\nkey={VALUE}\nkey={VALUE}\n", "") == [Place(line=n, value=None) for n in (2, 3)]
    assert search.find(f"a\nkey={VALUE}\n", f"{VALUE}\n") == []
    assert search.find("nothing of the kind\n", "") == []


def test_the_variables_name_is_reported(tmp_path: Path) -> None:
    env = tmp_path / ".env"
    env.write_text(f"# a comment\nexport DB_PASSWORD='{VALUE}'\nOTHER: {VALUE[::-1]}\n")
    named = {"URL": f"https://ann:{VALUE}x@host"}, [tmp_path / "missing", env]
    assert name_of(f"{VALUE}x", *named) == "the value of URL"
    assert name_of(VALUE, {}, [env]) == "the value of DB_PASSWORD in .env"
    assert name_of(VALUE[::-1], *named) == "the value of OTHER in .env"
    assert name_of("z" * 9, *named) == "a value of a credentials file"
    assert name_of(None, *named) == "a secret that was known here before"
