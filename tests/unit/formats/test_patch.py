"""Reading Codex's patch language."""

from __future__ import annotations

from gittraj.formats.base import patch
from gittraj.model.session_items import Edit

PATCH = """*** Begin Patch
*** Add File: new.py
+import os
+
+print(os.sep)
*** Update File: src/old.py
*** Move to: src/moved.py
@@ def f():
 kept
-gone
+come
+--- not a header
*** Delete File: dead.txt
*** Update File: plain.txt
@@
-a
-same
+same
+b
*** End of File
*** End Patch
trailing
+not part of it
"""


def test_every_operation_is_an_edit() -> None:
    assert patch.edits(PATCH) == (
        Edit(
            path="new.py",
            kind="add",
            added=("import os", "", "print(os.sep)"),
            whole="import os\n\nprint(os.sep)\n",
        ),
        Edit(path="src/old.py", kind="delete"),
        Edit(path="src/moved.py", kind="rename", added=("come", "--- not a header"), removed=("gone",)),
        Edit(path="dead.txt", kind="delete"),
        Edit(path="plain.txt", added=("b",), removed=("a",)),
    )


def test_windows_line_ends_make_no_difference() -> None:
    assert patch.edits(PATCH.replace("\n", "\r\n")) == patch.edits(PATCH)


def test_a_cut_patch_gives_its_complete_edits() -> None:
    assert patch.edits(PATCH[: PATCH.index("int(os")]) == (
        Edit(path="new.py", kind="add", added=("import os", "", "pr"), whole="import os\n\npr\n"),
    )
    assert patch.edits("no patch at all") == ()


def test_a_patch_in_a_shell_command_is_found_only_if_it_is_applied() -> None:
    command = f"cd sub && apply_patch <<'EOF'\n{PATCH}EOF\n"
    found = patch.find_patch(command)
    assert found is not None
    assert patch.edits(found) == patch.edits(PATCH)
    assert patch.find_patch(f"cat <<'EOF' > notes.md\n{PATCH}EOF\n") is None
    assert patch.find_patch("apply_patch --help") is None
