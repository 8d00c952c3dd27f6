"""Adding our entries to a user's settings and removing them: no other byte changes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gittraj.agents import hook_command
from gittraj.commands.install.agent_hooks import find_hooks
from gittraj.commands.install.manifest import Splice
from gittraj.commands.install.settings import find, is_ours, put, take
from gittraj.errors import TrajError
from tests.unit.strategies import jsons

SCRIPT = "/home/ann/it's/.git/traj/agent-hook"
CODEX = find_hooks()["codex"].groups(Path(SCRIPT))
GEMINI = find_hooks()["gemini"].groups(Path(SCRIPT))
THEIRS = {"matcher": "Bash", "hooks": [{"type": "command", "command": "echo"}]}

CASES = {
    "nothing": "",
    "empty": "{}",
    "no newline": '{"model":"x"}',
    "one line": '{ "model": "x", "hooks": {"Stop": [ {"hooks": []} ]} }\n',
    "tabs": '{\n\t"model": "x",\n\n\t"hooks": {\n\t\t"Stop": []\n\t}\n}\n',
    "CRLF": '{\r\n    "permissions": {\r\n        "allow": ["Bash(ls:*)"]\r\n    }\r\n}\r\n',
    "theirs": json.dumps({"hooks": {"Stop": [THEIRS], "Other": [THEIRS]}, "z": 1}, indent=4),
    "odd groups": '{"hooks": {"Stop": [1, {"hooks": 2}, {"matcher": "x"}], "Other": null}}',
    "escapes": '{"a\\u0022b": "\\ud800 \\/", "n": [1.0, 1e5, -0, 12345678901234567890]}',
}


@pytest.mark.parametrize("text", CASES.values(), ids=CASES.keys())
@pytest.mark.parametrize("groups", [CODEX, GEMINI], ids=["codex", "gemini"])
def test_our_entries_are_added_and_removed_again(text: str, groups: dict[str, Any]) -> None:
    after = put(text, groups)
    before, now = json.loads(text or "{}"), json.loads(after)
    assert [f.event for f in find(after)] == [e for e in now["hooks"] if e in groups]
    for event, group in groups.items():
        assert now["hooks"][event] == [*before.get("hooks", {}).get(event, []), group]
    assert {**now, "hooks": None} == {**before, "hooks": None}
    assert list(now)[: len(before)] == list(before)
    assert put(after, groups) == after
    assert _without_empty_events(json.loads(take(after))) == _without_empty_events(before)
    assert Splice.between(text.encode(), after.encode()).undo(after.encode()) == text.encode()


def _without_empty_events(settings: dict[str, Any]) -> dict[str, Any]:
    """Return the settings without events that have no hook: an empty list may be the user's or ours."""
    hooks = settings.get("hooks", {})
    return {**settings, "hooks": {event: groups for event, groups in hooks.items() if groups != []}}


def test_our_entries_follow_the_files_formatting() -> None:
    after = put('{\n\t"hooks": {\n\t\t"Stop": [\n\t\t\t1\n\t\t]\n\t}\n}\n', {"Stop": {"hooks": [{"a": 1}]}})
    assert after == (
        '{\n\t"hooks": {\n\t\t"Stop": [\n\t\t\t1,\n\t\t\t{\n\t\t\t\t"hooks": [\n\t\t\t\t\t{\n'
        '\t\t\t\t\t\t"a": 1\n\t\t\t\t\t}\n\t\t\t\t]\n\t\t\t}\n\t\t]\n\t}\n}\n'
    )
    assert "\n" not in put('{"a": 1}', CODEX)
    assert put('{\r\n  "a": 1\r\n}', CODEX).replace("\r\n", "").isprintable()


@pytest.mark.parametrize(
    "text",
    [
        '{"a": 1} // why\n',
        '{\n/* why */ "a": 1}',
        '{"a": 1,}',
        "{'a': 1}",
        '{"a": NaN}',
        '{"hooks": {}, "hooks": {}}',
        "[]",
        "\ufeff{}",
        '{"hooks": []}',
        '{"hooks": {"Stop": {}}}',
        "[" * 100_000,
    ],
)
def test_settings_that_cannot_be_changed_safely_are_refused(text: str) -> None:
    with pytest.raises(TrajError):
        put(text, CODEX)


def test_an_entry_of_an_earlier_version_is_replaced_in_place() -> None:
    old = {"Stop": {"hooks": [{"type": "command", "command": hook_command(SCRIPT, "codex"), "timeout": 1}]}}
    text = json.dumps({"hooks": {"Stop": [THEIRS], "Old": []}}, indent=2)
    text = put(text, old).replace('"Old": []', '"Old": [' + json.dumps(old["Stop"]) + "]")
    text = text.replace("\n  }\n}", ',\n    "Later": [1]\n  }\n}')
    now = json.loads(put(text, CODEX))["hooks"]
    assert list(now) == ["Stop", "Later", "SessionStart"], "an event that is no longer used is removed"
    assert now["Stop"] == [THEIRS, CODEX["Stop"]]


def test_a_handler_that_the_user_added_to_our_group_stays() -> None:
    shared = {"matcher": "*", "hooks": [CODEX["Stop"]["hooks"][0], {"type": "command", "command": "theirs"}]}
    text = json.dumps({"hooks": {"Stop": [shared]}})
    once = put(text, CODEX)
    assert json.loads(once)["hooks"]["Stop"] == [shared]
    assert json.loads(take(once)) == {"hooks": {"Stop": [{"matcher": "*", "hooks": shared["hooks"][1:]}]}}


def test_only_our_own_command_is_ours() -> None:
    ours = hook_command(SCRIPT, "codex")
    assert is_ours({"command": ours})
    for other in ("", ours + " && rm", "x" + ours, "test ! -f 'a' || sh 'a' codex", f"sh {SCRIPT} codex"):
        assert not is_ours({"command": other}), other
    assert not any(map(is_ours, (None, 1, {}, {"command": 1})))


HANDLERS = st.fixed_dictionaries({"type": st.just("command"), "command": st.text(max_size=4)})
GROUPS = st.fixed_dictionaries({"hooks": st.lists(HANDLERS, max_size=2)}) | jsons()
EVENTS = st.sampled_from(["Stop", "SessionStart", "Other"])
SETTINGS = st.dictionaries(st.text(max_size=4), jsons(), max_size=3) | st.fixed_dictionaries(
    {"hooks": st.dictionaries(EVENTS, st.lists(GROUPS, max_size=3), max_size=3)}, optional={"z": jsons()}
)
FORMS = st.sampled_from(
    [{}, {"indent": 2}, {"indent": "\t"}, {"indent": 0}, {"separators": (",", ":")}, {"ensure_ascii": False}]
)


@given(SETTINGS, FORMS, st.sampled_from(["", "\n", "\n\n"]))
def test_any_settings_are_restored(settings: dict[str, Any], form: dict[str, Any], end: str) -> None:
    text = json.dumps(settings, **form) + end
    try:
        before = text.encode()
        after = put(text, CODEX)
    except (TrajError, UnicodeEncodeError):
        return  # "hooks" has another type, or the text cannot be encoded
    assert put(after, CODEX) == after
    assert Splice.between(before, after.encode()).undo(after.encode()) == before
    now = json.loads(after)
    assert {**now, "hooks": 0} == {**settings, "hooks": 0}
    assert _without_empty_events(json.loads(take(after))) == _without_empty_events(settings)
