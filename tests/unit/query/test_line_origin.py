"""Which call wrote a line, by the arguments of calls."""

from __future__ import annotations

import dataclasses
import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gittraj.model.values import AnyEvent, FileTouched, Message, ToolCall, ToolResult
from gittraj.query.why.changes import MOST, show_change
from gittraj.query.why.line_origin import find_writers
from gittraj.query.why.written import read_edits

PATH = "src/f.py"
PATCH = """\
*** Begin Patch
*** Update File: src/g.py
@@
-one
+of another file
*** Update File: src/f.py
@@ def f():
 kept
-old
+new line
*** Add File: src/h.py
+third
*** End Patch
"""
UNIFIED = """\
--- a/src/g.py
+++ b/src/g.py
@@ -1,2 +1,2 @@
-one
+of another file
--- a/src/f.py
+++ b/src/f.py
@@ -1,2 +1,2 @@
 kept
--- old
+new line
"""


def call(number: int, arguments: Any, *, path: str | None = PATH) -> ToolCall:
    files = (FileTouched(path=path),) if path else ()
    return ToolCall(id=f"c{number}", name="a tool", arguments=arguments, files=files)


def write(number: int, *lines: str) -> ToolCall:
    return call(number, {"file_path": PATH, "content": "".join(f"{line}\n" for line in lines)})


def edit(number: int, old: str, new: str) -> ToolCall:
    return call(number, {"file_path": PATH, "old_string": old, "new_string": new})


def who(lines: list[str], *events: AnyEvent, before: list[str] | None = None) -> list[str | None]:
    """Return for each line the id of the call that wrote it."""
    writers = find_writers(lines, range(len(lines)), [(None, events)], {PATH}, lambda: before or [])
    return [writers[at][1].call.id if at in writers else None for at in range(len(lines))]


@pytest.mark.parametrize(
    "arguments",
    [
        {"file_path": PATH, "content": "kept\nnew line\n"},
        {"file_path": PATH, "old_string": "old", "new_string": "new line"},
        {"filePath": PATH, "oldString": "kept\nold", "newString": "kept\nnew line"},
        {
            "path": PATH,
            "edits": [{"oldText": "x", "newText": "y"}, {"oldText": "old", "newText": "new line"}],
        },
        {"edits": [{"old_string": "old", "new_string": "new\tline"}]},
        {"command": "create", "path": PATH, "file_text": "new line"},
        {"command": "insert", "path": PATH, "new_str": "new line"},
        {"notebook_path": PATH, "new_source": "new line"},
        PATCH,
        {"input": PATCH},
        {"command": ["apply_patch", PATCH]},
        {"cmd": f"cd src && apply_patch <<'EOF'\n{PATCH}EOF"},
        {"patch": UNIFIED},
    ],
)
def test_the_written_lines_are_read_from_every_agents_arguments(arguments: Any) -> None:
    writers = who(["unknown", "new line", "of another file", "third"], call(1, arguments))
    assert writers == [None, "c1", None, None]


def test_a_line_that_an_edit_only_repeats_is_not_credited_to_it() -> None:
    writers = who(["a", "b", "c"], write(1, "a", "c"), edit(2, "a\nc", "a\nb\nc"))
    assert writers == ["c1", "c2", "c1"]


def test_a_line_written_again_is_credited_to_the_last_call() -> None:
    assert who(["a"], write(1, "a"), edit(2, "a", "b"), edit(3, "b", "a")) == ["c3"]


def test_white_space_is_ignored() -> None:
    assert who(["\tif  x:", "return  1"], write(1, "if x:", "    return 1")) == ["c1", "c1"]
    assert who(["if x:"], write(1, "if x:"), edit(2, "if x:", "    if x:")) == ["c1"]


def test_equal_lines_are_distinguished_by_their_neighbours() -> None:
    one, two = "def one():\n    return 0", "def two():\n    return 0"
    first = edit(1, "# here", f"{one}\n# here")
    second = edit(2, "# there", f"{two}\n# there")
    lines = f"# there\n{two}\n\n{one}\n# here".split("\n")
    assert who(lines, first, second) == [None, "c2", "c2", "c2", "c1", "c1", None]


def test_rewriting_a_whole_file_is_not_credited_with_lines_it_keeps() -> None:
    lines = ["a", "x", "b", "x"]
    assert who(lines, write(1, "a", "x"), write(2, *lines)) == ["c1", "c1", "c2", "c2"]
    assert who(lines, edit(1, "q", "b"), write(2, *lines)) == ["c2", "c2", "c1", "c2"]


def test_a_line_of_punctuation_that_no_call_wrote_is_credited_like_its_neighbours() -> None:
    assert who(["f() {", "", "}"], edit(1, "", "f() {")) == ["c1", "c1", "c1"]
    assert who(["", "}"], edit(1, "", "f() {")) == [None, None]


def test_a_shell_commands_text_counts_only_if_no_edit_wrote_the_line() -> None:
    shell = call(2, {"command": "cat >> src/f.py <<END\na\nb\nEND"}, path=None)
    elsewhere = call(3, {"command": "echo > other\nc"}, path=None)
    assert who(["a", "b", "c"], write(1, "a"), shell, elsewhere) == ["c1", "c2", None]


def test_a_line_is_credited_to_the_edit_inside_it() -> None:
    lines = ["UNITS = compile('(a)s')", "", "if not found or not text:", "  raise E(f'no: {text}; no sign')"]
    first = edit(1, "pass", "UNITS = compile('(a)s?')\nif not found or not text.strip():")
    inside = edit(2, "(a)s?'", "(a)s'"), edit(3, "not text.strip()", "not text")
    last = edit(4, "no: {text}", "no: {text}; no sign")
    before = ["  raise E(f'no: {text}')"]
    assert who(lines, first, *inside, last, before=before) == ["c2", "c2", "c3", "c4"]
    assert who(["f(a)"], edit(1, ", b", ""), before=["f(a, b)"]) == ["c1"]
    assert who(["f(c, c)"], edit(1, "b", "c"), before=["f(b, b)"]) == ["c1"]
    assert who(["x = 3"], edit(1, "1", "2"), edit(2, "2", "3"), before=["x = 1"]) == ["c2"]


def test_lines_are_credited_to_an_edit_that_begins_or_ends_inside_them() -> None:
    lines, before = (
        ["a = first(one,", "          two)", "b = last(one) + more"],
        ["a = x)", "b = l(one) + more"],
    )
    assert who(lines, edit(1, "x)\nb = l", "first(one,\n two)\nb = last"), before=before) == [
        "c1",
        "c1",
        "c1",
    ]
    assert who(["z = first(one,", "three)"], edit(1, "x)\nb", "first(one,\n two)\nc")) == [None, None]
    assert who(["a = 1, b = 2"], edit(1, "1\nb", "1, b"), before=["a = 1", "b = 2"]) == ["c1"]
    assert who(["a = 1", "b = 2"], edit(1, "1, b", "1\nb"), before=["a = 1, b = 2"]) == ["c1", "c1"]
    assert who(["a", "b", "x # y"], edit(1, "\nx", " # y\nx"), before=["a", "b", "x"]) == [None, None, None]


@pytest.mark.parametrize(
    ("line", "old", "new", "before"),
    [
        ("    return total * 1.19  # VAT", "return t", "return total", "    return t"),
        ("retry = load_all_by_hand(3)", "load", "load_all", "import load"),
        ("if text.strip():", "text.strip()", "text", "if text.strip() is None:"),
        ("total += 1", "", "total", ""),
    ],
    ids=["a person wrote more", "a person wrote another", "still as it was", "nothing replaced"],
)
def test_a_line_with_the_same_words_is_not_credited_to_an_edit_inside_another(
    line: str, old: str, new: str, before: str
) -> None:
    assert who([line], edit(1, old, new), before=[before]) == [None]


def test_long_texts_are_compared_quickly() -> None:
    first, second = ([f"v{(n * step) % 120}" for n in range(15_000)] for step in (7, 11))
    edits = [edit(n, "\n".join(f"old_{n}_{m}" for m in range(20)), f"new_{n}") for n in range(3, 150)]
    start = time.process_time()
    assert who([*second, *map(str, range(2500))], write(1, *first), write(2, *second), *edits)[0] == "c1"
    backslashes = (
        {"command": f"sed -i 's/{chr(92) * 9000} f.py' f.py"},
        {"command": "cat <<a > f.py\n" * 3000},
    )
    assert who(["x"], *(call(n, each, path=None) for n, each in enumerate(backslashes))) == [None]
    assert time.process_time() - start < 10


def test_a_patch_is_credited_only_with_whole_lines() -> None:
    assert who(["x = new line of mine"], call(1, PATCH)) == [None]


def test_a_failed_edit_is_not_credited() -> None:
    failing = dataclasses.replace(edit(1, "a", "b"), call_id="x")
    refused = ToolResult(id="r", call_id="x", is_error=True)
    assert who(["b"], failing, refused) == [None]
    assert who(["b"], failing, dataclasses.replace(refused, is_error=False)) == ["c1"]


def test_a_line_is_credited_to_the_later_of_two_sessions() -> None:
    early, late = (dataclasses.replace(edit(n, "a", "b"), ts=f"2026-01-0{n}T00:00:00.000Z") for n in (1, 2))
    writers = find_writers(["b"], [0], [("second", [late]), ("first", [early])], {PATH})
    assert [session for session, _ in writers.values()] == ["second"]


@pytest.mark.parametrize(
    ("command", "wrote"),
    [
        ("echo 'seconds = parse' >> src/f.py && git commit -qam x", True),
        ("echo seconds = parse > f.py", True),
        ("echo 'seconds = parse' >> other.py; cat f.py", False),
        ("printf '\\n\\nseconds = parse\\n' >> f.py", True),
        ("python3 - <<'P'\np='src/f.py'\nset(s.replace('d', 'seconds = parse\\n\\nd'))\nP", False),
        (
            "python3 - <<'P'\np='src/f.py'\np.write_text(s.replace('d', 'seconds = parse\\n\\nd'))\nP",
            True,
        ),
        ("python3 - <<'P'\nf = open('src/f.py', 'w')\nf.write('''\nseconds = parse\n''')\nP", True),
        ("bash -lc 'cat > f.py <<E\nseconds = parse\nE'", True),
        ("cat <<E | tee -a src/f.py\nseconds = parse\nE", True),
        ("sed -i 's/sec = parse/seconds = parse/' src/f.py", True),
        ("sed -i.bak -E '/^def/a seconds = parse' f.py && git diff", True),
        ("perl -pi -e 's|^x$|seconds = parse|' f.py", True),
        ("sed 's/sec = parse/seconds = parse/' src/f.py > /dev/null", False),
        ("sed -i 's/sec = parse/seconds = parse/' g.py; cat f.py", False),
        ("cd src && sed -i 's/sec = parse/seconds = parse/' ./f.py", True),
        ("echo seconds = parse > /home/me/repo/src/f.py", True),
        ("echo seconds = parse > docs/src/f.py", False),
        ("cd docs && echo seconds = parse > f.py", False),
        ("cat run.sh\nseconds = parse f.py\nseconds = parse", False),
        ("git commit -m 'seconds = parse' f.py", False),
        ("git commit -m 'In f.py:\nseconds = parse\n' > /dev/null", False),
        ("grep -c 'x\nseconds = parse\ny' f.py > /dev/null", False),
        ("cat > g.py <<E\nseconds = parse\nE\ncat f.py", False),
        ("python3 - <<E\nprint(open('f.py').read().count('''\nseconds = parse\n'''))\nE", False),
    ],
)
def test_a_line_is_credited_to_a_shell_command_that_writes_it(command: str, wrote: bool) -> None:
    assert who(["seconds = parse"], call(1, {"command": command}, path=None)) == ["c1" if wrote else None]


def test_a_line_is_not_credited_to_a_search_for_it() -> None:
    search = call(1, {"pattern": "seconds = parse", "path": PATH}, path=None)
    assert who(["seconds = parse"], search) == [None]
    program = call(2, {"code": "open('f.py', 'w').write(\n'''\nseconds = parse\n''')"}, path=None)
    assert who(["seconds = parse"], program) == ["c2"]


def test_a_line_is_credited_to_a_shell_command_that_edits_it() -> None:
    lines = ["def test():", "    assert price == 5.79  # exact"]
    first = write(1, "def test():", "    assert price == 5.80  # exact")
    inside = call(2, {"command": r"sed -i 's/5\.80/5.79/' src/f.py"}, path=None)
    assert who(lines, first, inside) == ["c1", "c2"]
    inside = call(2, {"command": "sed -i 's/JP/AQ/g' src/f.py"}, path=None)
    assert who(["f('AQ')", "g('AQ')", "h(AQ)"], inside, before=["f('JP')", "g('JP')"]) == ["c2", "c2", None]


def test_calls_on_other_files_and_other_events_are_not_credited() -> None:
    other = call(1, {"content": "a\n"}, path="src/g.py")
    assert who(["a"], other, Message(id="m", content="a"), call(2, {"n": 1}), call(3, None)) == [None]


@given(st.lists(st.lists(st.sampled_from("abc{}"), max_size=6), min_size=1, max_size=5))
def test_every_line_of_the_last_write_is_credited_to_a_call(texts: list[list[str]]) -> None:
    """Each line is credited to a call, and only to one that wrote it."""
    events = [write(number, *text) for number, text in enumerate(texts)]
    writers = who(texts[-1], *events)
    for line, writer in zip(texts[-1], writers, strict=True):
        assert writer is not None
        assert line in texts[int(writer[1:])]


def test_an_excerpt_begins_with_the_replaced_lines() -> None:
    (edit_,) = read_edits([edit(1, "a\nold\nz", "a\nnew\nmore\nz")], {PATH})
    assert show_change(edit_, ["new"]) == (["-old", "+new", "+more"], 0)
    (edit_,) = read_edits([write(1, *(f"line {n}" for n in range(50)))], {PATH})
    assert show_change(edit_, ["line 7"]) == (["+line 7"], 0)
    shown, more = show_change(edit_, [f"line {n}" for n in range(50)])
    assert (len(shown), more) == (MOST, 50 - MOST)
    (edit_,) = read_edits([edit(1, "(a)s?", "(a)s")], {PATH})
    assert show_change(edit_, ["UNITS = compile('(a)s')"]) == (["-(a)s?", "+(a)s"], 0)
    (edit_,) = read_edits([call(1, {"command": "sed -i -e s/a/x/ -e '1i # next' f.py"}, path=None)], {PATH})
    assert show_change(edit_, ["# next"]) == (["+# next"], 0)
    assert show_change(edit_, ["x = 1"]) == (["-a", "+x"], 0)
