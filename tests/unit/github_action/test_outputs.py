"""Writing the files that the runner reads when a step ends."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from github_action.errors import EventError
from github_action.outputs import SUMMARY, write_outputs, write_summary
from github_action.token import Token
from tests.unit.github_action.runner import outputs

VALUES = st.text(st.characters(exclude_categories=["Cs"]) | st.sampled_from("\n\r<=_")).filter(
    lambda text: "\r" not in text
)


@given(st.dictionaries(st.from_regex(r"[a-z][a-z0-9-]{0,9}", fullmatch=True), VALUES, max_size=4))
def test_the_runner_reads_outputs_as_we_wrote_them(values: dict[str, str]) -> None:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "output"
        write_outputs(path, values)
        assert outputs(path.read_bytes().decode()) == values


def test_a_value_cannot_forge_its_end_marker(tmp_path: Path) -> None:
    path = tmp_path / "output"
    write_outputs(path, {"json-path": "a\nghadelimiter_1\nresult<<X\nforged\nX", "result": "created"})
    assert outputs(path.read_text("utf-8")) == {
        "json-path": "a\nghadelimiter_1\nresult<<X\nforged\nX",
        "result": "created",
    }
    words = [line.partition("<<")[2] for line in path.read_text("utf-8").split("\n") if "<<ghad" in line]
    assert len(set(words)) == 2


@pytest.mark.parametrize("name", ["", "a b", "a\nb", "A", "a<<b"])
def test_an_invalid_name_is_refused(name: str, tmp_path: Path) -> None:
    with pytest.raises(EventError):
        write_outputs(tmp_path / "output", {name: "x"})


def test_a_summary_may_be_exactly_as_large_as_the_limit(tmp_path: Path) -> None:
    path = tmp_path / "summary"
    path.write_text("before\n", "utf-8")
    room = SUMMARY - len("before\n") - 1
    assert not write_summary(path, "é" * (room // 2) + "xy")
    assert path.read_text("utf-8") == "before\n"
    assert write_summary(path, "x" * room)
    assert path.stat().st_size == SUMMARY


def test_a_lone_surrogate_is_replaced(tmp_path: Path) -> None:
    assert write_summary(tmp_path / "summary", "a\ud800b")
    assert (tmp_path / "summary").read_text("utf-8") == "a?b\n"


def test_a_token_is_hidden_in_every_text_form() -> None:
    secret = "-".join(("no", "one", "sees", "this"))
    token = Token(secret)
    shown = (repr(token), str(token), f"{token}", f"{token!r:>9}", str({"token": token}), str([token]))
    assert not any(secret in text for text in shown)
    assert not hasattr(token, "__dict__")
    assert (token.reveal(), bool(token), bool(Token(""))) == (secret, True, False)
