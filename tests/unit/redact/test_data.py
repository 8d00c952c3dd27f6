"""The rules that are data: each can be reached, compiled and tried, and says what it finds."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from gittraj.redact import decide
from gittraj.redact.decide import JUDGES
from gittraj.redact.lines import Gate
from gittraj.redact.load import (
    LineRule,
    Token,
    commands,
    line_rule,
    line_rules,
    patterns,
    reasons,
    tables,
    tokens,
)
from gittraj.redact.page import Page
from tests.redaction.templates import expand

LINES = line_rules()


def reached(rule: LineRule) -> bool:
    """Whether the keywords of a rule stand in its own examples."""
    pages = [Page(expand(text, 0)[0], lambda: None) for text in rule.good]
    return all(Gate([rule.keywords]).open(page) for page in pages)


@pytest.mark.parametrize("rule", LINES, ids=[f"{n}-{rule.id}" for n, rule in enumerate(LINES)])
def test_a_rule_of_lines_is_whole(rule: LineRule) -> None:
    assert re.fullmatch(r"[a-z0-9]+(?:-[a-z0-9]+)*", rule.id)
    assert rule.good and reached(rule)
    assert all(keyword and keyword == keyword.lower() for keyword in rule.keywords)
    assert (
        all(one in JUDGES for one in rule.accept.split(" | "))
        and rule.flags in ("", "i")
        and rule.window >= 0
    )
    assert "<<" not in rule.pattern.replace("<<<", "")
    assert "v" in re.compile(rule.then or rule.pattern).groupindex


@pytest.mark.parametrize("token", tokens(), ids=lambda token: token.id)
def test_a_token_is_whole(token: Token) -> None:
    assert re.fullmatch(r"[a-z0-9]+(?:-[a-z0-9]+)*", token.id)
    assert token.good and {*token.accept.split(" | ")} <= JUDGES
    assert all(len(prefix) >= 3 for prefix in token.prefixes) and bool(token.prefixes) != bool(token.hint)
    for template in token.good if token.hint else ():
        assert re.search(token.hint, expand(template, 0)[0])


def test_an_exemption_says_of_what() -> None:
    assert all(reason.value or reason.before or reason.behind for reason in reasons())


def test_no_command_has_an_option_twice() -> None:
    for name, takes in commands():
        options = [option for option, _ in takes.options]
        assert len(options) == len({*options}), name


def test_what_is_loaded_is_all_that_a_file_has() -> None:
    assert tables("commands").keys() == {"command", "argument"} and tables("tokens").keys() == {"token"}
    assert tables("lines").keys() == {"rule"} and tables("public").keys() == {"reason"}


def test_each_pattern_that_code_asks_for_is_there_and_each_that_is_there_is_asked_for() -> None:
    code: dict[str, str] = {}
    for path in Path(decide.__file__).parent.glob("*.py"):
        text = path.read_text(encoding="utf-8")
        if table := re.search(r'^_RE = patterns\("(\w+)"\)$', text, re.MULTILINE):
            code[table[1]] = code.get(table[1], "") + text
    there = {name: each for name, each in tables("forms").items() if isinstance(each, dict)}
    assert code.keys() == there.keys() - {"fragments"}
    for name, text in code.items():
        assert {*re.findall(r"\b_RE\.(\w+)", text)} - {"fit"} <= there[name].keys()
        for row in there[name]:
            assert f"_RE.{row}" in text or f'"{row}"' in text, (name, row)
            assert isinstance(getattr(patterns(name), row), re.Pattern)


def test_a_column_that_is_none_is_refused() -> None:
    with pytest.raises(TypeError, match="colour"):
        line_rule({"id": "x", "keywords": ["x"], "pattern": "x", "good": ["x"], "colour": "red"})


def test_a_reader_does_not_ask_itself_whether_a_value_is_a_secret() -> None:
    room = Path(decide.__file__).parent
    asking = {path.stem for path in room.glob("*.py") if "is_secret(" in path.read_text(encoding="utf-8")}
    assert asking == {"named", "proof", "decide"}
