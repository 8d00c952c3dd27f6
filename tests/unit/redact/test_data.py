"""The rules in data files: each can be reached and compiled, and has examples and a name."""

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
    """Whether the keywords of a rule are in its own examples."""
    pages = [Page(expand(text, 0)[0], lambda: None) for text in rule.good]
    return all(Gate([rule.keywords]).open(page) for page in pages)


def is_name(text: str) -> bool:
    return re.fullmatch(r"[a-z0-9]+(?:-[a-z0-9]+)*", text) is not None


def line_rule_is_complete(rule: LineRule) -> bool:
    return (
        is_name(rule.id)
        and bool(rule.good)
        and reached(rule)
        and all(keyword and keyword == keyword.lower() for keyword in rule.keywords)
        and {*rule.accept.split(" | ")} <= {*JUDGES}
        and rule.flags in ("", "i")
        and rule.window >= 0
        and "<<" not in rule.pattern.replace("<<<", "")
        and "v" in re.compile(rule.then or rule.pattern).groupindex
    )


def token_is_complete(token: Token) -> bool:
    return (
        is_name(token.id)
        and bool(token.good)
        and {*token.accept.split(" | ")} <= {*JUDGES}
        and all(len(prefix) >= 3 for prefix in token.prefixes)
        and bool(token.prefixes) != bool(token.hint)
        and (not token.hint or all(re.search(token.hint, expand(each, 0)[0]) for each in token.good))
    )


def test_every_rule_is_complete() -> None:
    assert [rule for rule in LINES if not line_rule_is_complete(rule)] == []
    assert [token for token in tokens() if not token_is_complete(token)] == []


def test_an_exemption_names_what_it_exempts() -> None:
    assert all(reason.value or reason.before or reason.behind for reason in reasons())


def test_no_command_has_an_option_twice() -> None:
    for name, takes in commands():
        options = [option for option, _ in takes.options]
        assert len(options) == len({*options}), name


def test_the_files_have_no_tables_that_are_not_loaded() -> None:
    assert tables("commands").keys() == {"command", "argument"} and tables("tokens").keys() == {"token"}
    assert tables("lines").keys() == {"rule"} and tables("public").keys() == {"reason"}


def test_each_pattern_used_in_code_exists_and_each_existing_one_is_used() -> None:
    code: dict[str, str] = {}
    for path in Path(decide.__file__).parent.glob("*.py"):
        text = path.read_text(encoding="utf-8")
        if table := re.search(r'^_RE = patterns\("(\w+)"\)$', text, re.MULTILINE):
            code[table[1]] = code.get(table[1], "") + text
    defined = {name: each for name, each in tables("forms").items() if isinstance(each, dict)}
    assert code.keys() == defined.keys() - {"fragments"}
    for name, text in code.items():
        assert {*re.findall(r"\b_RE\.(\w+)", text)} - {"fit"} <= defined[name].keys()
        for row in defined[name]:
            assert f"_RE.{row}" in text or f'"{row}"' in text, (name, row)
            assert isinstance(getattr(patterns(name), row), re.Pattern)


def test_an_unknown_column_is_refused() -> None:
    with pytest.raises(TypeError, match="colour"):
        line_rule({"id": "x", "keywords": ["x"], "pattern": "x", "good": ["x"], "colour": "red"})


def test_only_three_modules_decide_whether_a_value_is_a_secret() -> None:
    room = Path(decide.__file__).parent
    asking = {path.stem for path in room.glob("*.py") if "is_secret(" in path.read_text(encoding="utf-8")}
    assert asking == {"named", "proof", "decide"}
