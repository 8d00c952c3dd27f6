"""Words of the documents, the manual, help texts and messages, by the rules of ``tests/english.toml``."""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from tests.conftest import ROOT

RULES = tomllib.loads((ROOT / "tests" / "english.toml").read_text("utf-8"))["rule"]
LEFT = 18
"""The number of matches in docstrings that the rules would still refuse."""
WORDS = [(re.compile(rule["pattern"]), rule["better"]) for rule in RULES]
PAGES = [*(p for p in ROOT.glob("*.md") if p.stem != "CHANGELOG"), *(ROOT / "docs").glob("*.md")]
TEXTS = [*PAGES, ROOT / "docs" / "git-traj.1"]
PACKAGES = sorted(
    p for p in (ROOT / "gittraj").iterdir() if p.is_dir() and p.name not in ("redact", "__pycache__")
)


ANY = re.compile("|".join(f"(?:{rule['pattern']})" for rule in RULES))
"""All patterns in one: most texts match none, and then one search is enough."""


@cache
def texts(path: Path) -> tuple[list[tuple[int, str]], list[str]]:
    """The texts of a module that users see, each with its line, and its docstrings."""
    nodes = [*ast.walk(ast.parse(path.read_bytes()))]
    documented = {id(node.value) for node in nodes if isinstance(node, ast.Expr)}
    for node in nodes:  # a command's docstring is its help text
        if isinstance(node, ast.FunctionDef) and node.name == "command":
            documented -= {id(line.value) for line in node.body[:1] if isinstance(line, ast.Expr)}
    strings = [node for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str)]
    seen = [(node.lineno, str(node.value)) for node in strings if id(node) not in documented]
    return seen, [str(node.value) for node in strings if id(node) in documented]


def faults(text: str, where: str) -> Iterator[str]:
    if not ANY.search(text):
        return
    for pattern, better in WORDS:
        for match in pattern.finditer(text):
            yield f"{where}: '{match[0]}': {better}"


@pytest.mark.parametrize("page", TEXTS, ids=lambda page: page.name)
def test_a_page_has_no_refused_word(page: Path) -> None:
    text = page.read_text("utf-8").partition("## Words to avoid")[0]
    assert [*faults(text, page.name)] == []


@pytest.mark.parametrize("package", [*PACKAGES, ROOT / "github_action"], ids=lambda package: package.name)
def test_no_message_or_help_text_has_a_refused_word(package: Path) -> None:
    seen = ((text, f"{path.name}:{line}") for path in package.rglob("*.py") for line, text in texts(path)[0])
    assert [fault for text, where in seen for fault in faults(text, where)] == []


def test_docstrings_get_better() -> None:
    """Docstrings older than the rules may have such words: the number may only go down."""
    docstrings = (text for path in (ROOT / "gittraj").rglob("*.py") for text in texts(path)[1])
    assert sum(1 for text in docstrings for _ in faults(text, "")) <= LEFT


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule["finds"])
def test_a_rule_finds_its_example_and_not_its_remedy(rule: dict[str, str]) -> None:
    assert re.search(rule["pattern"], rule["finds"])
    assert not re.search(rule["pattern"], rule["better"])
