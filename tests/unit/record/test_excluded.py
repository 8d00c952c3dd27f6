"""What is cut out of git's output if ``traj.exclude`` names a file in it, and what stays."""

from __future__ import annotations

import pytest

from gittraj.model.session_items import Entry
from gittraj.model.values import ToolResult
from gittraj.record.drain.excluded import without_diffs

BODY = (
    "index 1..2 100644\n--- a/k.pem\n+++ b/k.pem\n@@ -1,2 +1,2 @@\n-GONE1\n+GONE2\n \n GONE3\n\\ No newline"
)
OF_KEY = f"diff --git a/k.pem b/k.pem\n{BODY}\n"
OTHER = "diff --git a/x b/x\nindex 3..4\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-KEPT1\n+KEPT2\n"
HEAD = "diff --git a/k.pem b/k.pem"
BINARY = f"{HEAD}\nindex 1..2\nGIT binary patch\nliteral 5\nMcGONE1GONE\n\nliteral 0\nHcmV?d00001\n\n"
SHA = "0123456789" * 4


def cut(text: str) -> str:
    event = ToolResult(id="1", content=text)
    item = without_diffs(Entry(event=event, end=0), lambda path: path.endswith(".pem"))
    assert isinstance(item, Entry) and isinstance(item.event, ToolResult)
    return item.event.content


def numbered(text: str) -> str:
    return "".join(f"{n:6}\t{line}\n" for n, line in enumerate(text.splitlines(), 1))


def below(branches: str, text: str) -> str:
    return "".join(f"{branches}{line}\n" for line in text.splitlines())


@pytest.mark.parametrize(
    "text",
    [
        OF_KEY + "=== test session ===\nKEPT1\nKEPT2\n",
        OF_KEY + "\nKEPT1 of 3\nKEPT2\n",
        OF_KEY + OTHER,
        OTHER + OF_KEY,
        OF_KEY.replace("\n \n", "\n\n") + OTHER,
        BINARY + OTHER,
        OF_KEY.replace("\n", "\r\n") + OTHER,
        f"\x1b[1m{HEAD}\x1b[m\n\x1b[1mindex 1..2\x1b[m\n\x1b[36m@@ -1 +1 @@\x1b[m\n"
        "\x1b[31m-GONE1\x1b[m\n\x1b[32m+\x1b[mGONE2\nKEPT1\nKEPT2",
        numbered(OF_KEY + OTHER),
        numbered(OTHER + OF_KEY),
        BODY.partition("\n")[2] + "\n" + OTHER.partition("4\n")[2],
        OTHER.partition("4\n")[2] + BODY.partition("\n")[2],
        "--- k.pem\t2024-01-01\n+++ k.pem.old\t2024-01-01\n@@ -1 +1 @@\n-GONE1\nKEPT1\nKEPT2\n",
        f"* commit {SHA}\n{below('| ', OF_KEY)}| \n* commit {SHA}\n  KEPT1\n{below('  ', OTHER)}",
        f"| * commit {SHA}\n{below('| | ', OF_KEY)}* | commit {SHA}\n|/  KEPT1\n{below('|   ', OTHER)}",
        f"| * {SHA[:7]} a\n|/  {HEAD}\n{below('|   ', BODY)}* {SHA[:7]} b\n{below('  ', OTHER)}",
        f"| * {SHA[:7]} a\n|/  {HEAD}\n{below('|   ', BINARY[len(HEAD) + 1 :])}* {SHA[:7]} b\n{OTHER}",
    ],
)
def test_only_the_changes_of_an_excluded_file_are_cut_out(text: str) -> None:
    clean = cut(text)
    assert "GONE" not in clean and "left out" in clean
    assert "KEPT1" in clean and "KEPT2" in clean


def test_a_long_line_is_read_in_linear_time() -> None:
    text = "diff --git " + "a " * 50_000 + "\n" + "| " * 50_000 + "\n--- " * 20_000
    assert cut(text) == text
