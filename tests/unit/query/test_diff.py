"""A text is about the line that its record or its words name, if the diff shows it; else about no line."""

from __future__ import annotations

import pytest

from gittraj.query.diff import Diff, split_patches

PATCH = """@@ -1,3 +1,4 @@
 import time
-def old(seconds):
+def retry_after(value):
+    return parseDate(value)
 # end
@@ -20 +21,2 @@ class Client:
+    max_attempts = 5
     token = None
\\ No newline at end of file"""
OTHER = "@@ -0,0 +1 @@\n+def test_retry(): retry_after(1)"
DIFF = Diff.of(
    ["src/http/retry.py", "tests/test_retry.py", "big.bin", "a/retry.md"],
    {"src/http/retry.py": PATCH, "tests/test_retry.py": OTHER, "big.bin": "@@ nonsense\n+x"},
)


def test_the_lines_and_names_that_a_diff_shows_are_found() -> None:
    assert DIFF.lines["src/http/retry.py"] == {1, 2, 3, 4, 21, 22}
    assert "big.bin" not in DIFF.lines
    assert DIFF.names["retry_after"] == ("src/http/retry.py", 2)
    assert "token" not in DIFF.names, "it was there before"


@pytest.mark.parametrize(
    ("text", "path", "line", "result"),
    [
        ("Not sure", "src/http/retry.py", 3, ("src/http/retry.py", 3)),
        ("Not sure", "src/http/retry.py", 9, ("src/http/retry.py", None)),
        ("retry_after may be a date", "src/http/retry.py", 9, ("src/http/retry.py", 2)),
        ("Not sure", "src/gone.py", 3, (None, None)),
        ("Not covered by test_retry.py.", None, None, ("tests/test_retry.py", 1)),
        ("See src/http/retry.py: `max_attempts` is a guess", None, None, ("src/http/retry.py", 21)),
        ("Does `parseDate` know zones?", None, None, ("src/http/retry.py", 3)),
        ("Is retry_after() right?", None, None, ("src/http/retry.py", 2)),
        ("I am not sure that value is right", None, None, (None, None)),
        ("retry.pyc and xretry.py", None, None, (None, None)),
        ("", None, 3, (None, None)),
    ],
)
def test_a_text_is_assigned_to_a_file_and_line(
    text: str, path: str | None, line: int | None, result: object
) -> None:
    assert DIFF.find(text, path, line) == result


def test_a_huge_diff_is_read_only_in_part() -> None:
    huge = Diff.of(["a"], {"a": "@@ -1 +1,9 @@\n" + "+name_{}\n" * 500_000})
    assert len(huge.lines["a"]) == 20_000


def test_a_whole_diff_is_split_into_the_hunks_of_each_file() -> None:
    text = (
        "diff --git a/a.py b/a.py\nindex 1..2 100644\n--- a/a.py\n+++ b/a.py\n@@ -1 +1 @@\n-1\n"
        "+diff --git a/x b/x\n"
        "diff --git a/old b/a b.py\nsimilarity index 90%\n--- a/old\n+++ b/a b.py\t\n@@ -2 +2 @@\n-1\n+2\n"
        "diff --git a/gone b/gone\n--- a/gone\n+++ /dev/null\n@@ -1 +0,0 @@\n-1\n"
        "diff --git a/i.png b/i.png\nBinary files differ\n"
    )
    result = split_patches(text)
    assert result == {"a.py": "@@ -1 +1 @@\n-1\n+diff --git a/x b/x\n", "a b.py": "@@ -2 +2 @@\n-1\n+2\n"}
    assert Diff.of(result, result).lines == {"a.py": {1}, "a b.py": {2}}
