"""A company's ``.gitleaks.toml``: which rules run, what they match, and that only a trusted file exempts."""

from __future__ import annotations

import sys

import pytest

from gittraj.redact import Options, Redactor, RuleFile
from gittraj.redact.gitleaks import Gitleaks, read

KEY = b"k" * 32
BADGE = "abcd-" + "123"
RULE = """
[[rules]]
id = "acme-badge"
regex = '''(?i)badge[:= ]+([a-z]{4}-[0-9]{3})'''
keywords = ["Badge"]
"""
EVERYTHING_EXEMPT = "[[allowlists]]\nregexes = ['''.*''']\n"


@pytest.fixture
def re2() -> None:
    pytest.importorskip("re2")


def redact(text: str, rules: str, *, trusted: bool = False) -> str:
    file = RuleFile("acme.toml", rules.encode(), trusted)
    return Redactor(key=KEY, options=Options(files=(file,))).text(text)


def remarks(rules: str | None, *, trusted: bool = False) -> list[str]:
    return Gitleaks(RuleFile("acme.toml", rules and rules.encode(), trusted)).remarks


@pytest.mark.usefixtures("re2")
def test_a_rule_redacts_its_secret_and_leaves_the_rest() -> None:
    assert redact(f"the BADGE: {BADGE}, of Bob", RULE) == "the BADGE: REDACTED-secret-n1, of Bob"
    assert redact(f"the badge: {BADGE}", RULE.replace("Badge", "pass")) == f"the badge: {BADGE}"
    found = Redactor(key=KEY, options=Options(files=(RuleFile("f", RULE.encode()),))).find(f"badge={BADGE}")
    assert [one.rule for one in found] == ["gitleaks:acme-badge"]


@pytest.mark.usefixtures("re2")
@pytest.mark.parametrize(
    ("more", "text", "gone"),
    [
        ("secretGroup = 2", "A-bcd:x-efg", "efg"),
        ("", "A-bcd:x-efg", "bcd"),
        ("entropy = 1.6", "A-bcb:x-efg", ""),
        ("entropy = 1.5", "A-bcd:x-efg", "bcd"),
        ("", "日本 😀 \ud800 A-bcd:x-efg", "bcd"),  # each character is a byte for RE2
    ],
)
def test_the_group_and_the_entropy_of_a_rule_are_used(more: str, text: str, gone: str) -> None:
    rule = f"[[rules]]\nid = 'a'\nregex = '''A-(\\w+):x-(\\w+)'''\n{more}\n"
    assert redact(text, rule) == (text.replace(gone, "REDACTED-secret-n1") if gone else text)


@pytest.mark.usefixtures("re2")
def test_an_allowlist_counts_only_in_a_trusted_file() -> None:
    own = f"{RULE}[[rules.allowlists]]\nstopwords = ['ABCD']\n"
    password = "password=Tiger" + "4711"
    for rules in (
        own,
        RULE + EVERYTHING_EXEMPT,
        RULE.replace("[[rules]]", "[[rules]]\nallowlist.stopwords = ['abcd']"),
    ):
        assert BADGE not in redact(f"badge: {BADGE}", rules)
        assert BADGE in redact(f"badge: {BADGE}", rules, trusted=True)
    assert redact(password, EVERYTHING_EXEMPT) != password
    assert redact(password, EVERYTHING_EXEMPT, trusted=True) == password
    assert redact(password, own, trusted=True) != password  # for that rule only
    assert "gitleaksTrust" in " ".join(remarks(own)) and not remarks(own, trusted=True)


@pytest.mark.usefixtures("re2")
@pytest.mark.parametrize(
    ("allowlist", "exempt"),
    [
        ("regexes = ['''^abcd''']", True),
        ("regexes = ['''badge''']", False),
        ("regexTarget = 'match'\nregexes = ['''badge''']", True),
        ("regexTarget = 'line'\nregexes = ['''Bob''']", True),
        ("condition = 'AND'\nregexes = ['''^abcd''']\nstopwords = ['x']", False),
        ("condition = 'AND'\nregexes = ['''^abcd''']\npaths = ['''.*''']", False),
        ("regexes = ['''^abcd''']\npaths = ['''x''']", True),
        ("paths = ['''.*''']", False),
        ("targetRules = ['other']\nregexes = ['''.*''']", False),
        ("targetRules = ['acme-badge']\nregexes = ['''.*''']", True),
        ("regexTarget = 'colour'\nregexes = ['''.*''']", False),
        ("regexes = ['''(?<=x)a''']", False),
    ],
)
def test_an_allowlist_means_the_same_as_in_gitleaks(allowlist: str, exempt: bool) -> None:
    text = f"badge: {BADGE} of Bob\nmore"
    assert (redact(text, f"{RULE}[[allowlists]]\n{allowlist}\n", trusted=True) == text) is exempt


@pytest.mark.usefixtures("re2")
@pytest.mark.parametrize(
    ("rule", "why"),
    [
        ("id = 'b'\npath = '''x'''", "has a condition on paths"),
        ("id = 'b'", "no pattern of its own"),
        ("id = 'b'\nregex = '''(?<=x)y'''", "RE2 refuses"),
        ("id = 'b'\nregex = '''(?:[^a]?){990}" + "(?:[^a]?){990}" * 60 + "'''", "RE2 refuses"),
        ("id = 'b'\nregex = '''" + "x" * 5000 + "'''", "too long"),
        ("id = 'b'\nregex = 'x'\nsecretGroup = 3", "has a secretGroup that its pattern does not have"),
        ("id = 'b'\nregex = 'x'\n[[rules.required]]\nid = 'acme-badge'", "depends on another rule"),
        ("id = 'b'\nregex = 7", "malformed"),
        ("id = 'b\\u001b[31m'\nregex = 'x'".replace("'b\\u001b[31m'", '"b\\u001b[31m"'), "invalid id"),
    ],
)
def test_a_rule_that_cannot_run_is_named_and_the_others_run(rule: str, why: str) -> None:
    rules = f"{RULE}[[rules]]\n{rule}\n"
    assert BADGE not in redact(f"badge: {BADGE}", rules)
    (remark,) = remarks(rules)
    assert (
        remark.startswith("acme.toml: rules that do not run: 'b") and why in remark and "\x1b" not in remark
    )


@pytest.mark.usefixtures("re2")
@pytest.mark.parametrize("rules", ["[[rules", "rules = 3", "rules = [3]", "\udcff", "extend = 3", None])
def test_an_invalid_file_does_not_stop_redaction(rules: str | None) -> None:
    body = rules and rules.encode("utf-8", "surrogateescape")
    assert Gitleaks(RuleFile("acme.toml", body)).remarks
    redactor = Redactor(key=KEY, options=Options(files=(RuleFile("acme.toml", body),)))
    assert redactor.text("password=Tiger" + "4711") == "password=REDACTED-password-n1"


def test_without_re2_our_own_rules_run_and_the_user_is_warned(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "re2", None)
    read.cache_clear()
    password = "password=Tiger" + "4711"
    assert redact(f"badge: {BADGE} {password}", RULE) == f"badge: {BADGE} password=REDACTED-password-n1"
    assert remarks(RULE) == ["acme.toml: its rules do not run without RE2 (pip install 'git-traj[gitleaks]')"]
    read.cache_clear()


@pytest.mark.usefixtures("re2")
def test_a_pattern_that_takes_too_long_loses_the_text_but_does_not_hang() -> None:
    slow = "[[rules]]\nid = 'b'\nregex = '''x(?:.*y)?'''\n"
    options = Options(files=(RuleFile("f", slow.encode()),))
    text = "x" * 110_000 + "\nhello"
    clean = Redactor(key=KEY, options=options, seconds_per_text=0.2).text(text)
    assert "x" not in clean.replace("unscannable", "") and "REDACTED-unscannable-" in clean


@pytest.mark.usefixtures("re2")
@pytest.mark.parametrize(
    ("row", "why"),
    [
        ("regex = '(?s).'", "matches nearly any text"),
        ("regex = '[a-z]{2}'", "matches nearly any text"),
        ("regex = 'x*'", "matches nearly any text"),
        ("regex = 'zed'\nsecretGroup = inf", "is malformed"),
        ("regex = 'zed'\nentropy = nan", "has an entropy that is not a finite number"),
        ("regex = 'ключ-[0-9]{8}'", "has a character outside Latin-1"),
    ],
)
def test_a_rule_that_would_hang_the_redactor_does_not_run(row: str, why: str) -> None:
    rules = f"[[rules]]\nid = 'a'\n{row}\n{RULE}"
    assert remarks(rules) == [f"acme.toml: rules that do not run: 'a' {why}"]
    assert redact(f"hello zed, badge: {BADGE}", rules) == "hello zed, badge: REDACTED-secret-n1"
