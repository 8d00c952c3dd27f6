"""How each text of a trajectory is redacted."""

from __future__ import annotations

from dataclasses import replace

import pytest

from gittraj.errors import RedactionError
from gittraj.events.sensitive import strict_events
from gittraj.model.values import (
    AnyEvent,
    Chapter,
    Foreign,
    Message,
    SessionInfo,
    ToolCall,
    ToolResult,
    Trajectory,
)
from gittraj.redact import Options, Redactor
from gittraj.redact.events import LEFT_OUT, clean_trajectory, map_event, map_trajectory, neighbours, teach
from gittraj.redact.examples import draw

TOKEN = "ghp_" + "x7Qd2Lw9Rk4Vn8Tz1Bm6Hs3Yc5Jf0Gp2AeUi"
PASSWORD = "Tr0ub4" + "dor-and-3"


def trajectory_of(*events: AnyEvent) -> Trajectory:
    return Trajectory(id="traj_a", whole=SessionInfo(), chapters=(Chapter(id="c", title="t", events=events),))


def clean(*events: AnyEvent, strict: frozenset[str] = frozenset()) -> tuple[AnyEvent, ...]:
    redactor = Redactor(key=b"k" * 32)
    trajectory = trajectory_of(*events)
    teach(redactor, [trajectory], strict)
    return clean_trajectory(redactor, trajectory, strict, str)[0].events


def strictness_of(event: AnyEvent, *, strict: bool) -> dict[str, bool]:
    """Return each text of an event, and whether it is redacted strictly."""
    found: dict[str, bool] = {}

    def look(text: str, name: str | None, strictly: bool) -> str:
        found[text] = strictly
        return text

    assert map_event(event, look, strict=strict) == event
    return found


def test_only_the_output_of_a_strict_result_is_redacted_strictly() -> None:
    event = ToolResult(id="id", ts="time", content="printed", call_id="call", raw={"key": ["deep"]})
    found = strictness_of(event, strict=True)
    assert {text for text, strictly in found.items() if strictly} == {"printed", "deep"}
    assert found.keys() - {""} == {"id", "time", "printed", "call", "key", "deep"}
    assert not any(strictness_of(event, strict=False).values())


SECRET_WRITES = (
    "echo 'REGION={0}' >> .env",
    'echo -n "REGION={0}" > "$HOME/app/.env" && make',
    "echo REGION={0} | sudo tee -a .env >/dev/null",
    "echo REGION='{0} {0}' >> .env",
    "{{ echo A=b; echo REGION={0}; }} > .env",
    "printf 'REGION=%s\\n' {0} > .env",
    "printf '%s' '{0}1' > config/master.key",
    "sed -i 's/^REGION=.*/REGION={0}/' .env",
    "sed -i.bak -e 's|REGION=.*|REGION={0}|' .pypirc",
    "cat > .env <<EOF\nREGION={0}\nEOF\nmake",
    "cat <<'EOF' | tee .npmrc\n# new\nregion = {0}\nEOF",
    "tee -a ~/.gradle/gradle.properties <<EOF\nregion={0}\nEOF",
    "bash -c 'echo \"REGION={0}\" > .env'",
    "python - <<EOF\nPath('.env').write_text('REGION={0}')\nEOF",
    "Set-Content -Path .env -Value 'REGION={0}'",
    "cat > .env <<< 'REGION={0}'",
    "cat > .env <<'END-ENV'\nREGION={0}\nEND-ENV\nmake",
    "cat > .env <<EOF\nREGION={0}",
    "echo REGION={0} `date; id` > .env",
    "echo REGION={0} $(date $(id); id) > .env",
    "cat > a.sh <<'EOF'\n# don't\necho 'A; REGION={0}' > .env\nEOF",
    "# don't\necho 'A; REGION={0}' > .env # can't",
    "python - <<EOF\n# it's\nEOF\necho 'A; REGION={0}' > .env",
    "(echo A=b\necho REGION={0}) > .env",
    "for n in 1 2; do\n echo REGION={0}\ndone | tee .env",
    "echo REGION={0} | awk '{{print; next}}' > .env",
    "echo " + "x" * 30_000 + "\necho 'REGION={0}' > .env",
    "*** Begin Patch\n*** Update File: .env\n+A=b\n*** End Patch\nEOF\necho 'REGION={0}' >> .env",
    "--- .env.old\t2026-01-01\n+++ .env\t2026-01-01 10:00:00\n@@ -1 +1 @@\n-REGION=eu\n+REGION={0}",
    "--- a/.env\r\n+++ b/.env\r\n@@ -1 +1 @@\r\n-REGION=eu\r\n+REGION={0}\r\n",
    "*** Begin Patch\n*** Update File: .env\n@@\n-REGION=eu\n+REGION={0}\n*** End Patch",
    "--- a/.env\n+++ b/.env\n@@ -1 +1 @@\n-REGION=eu\n+REGION={0}",
)


@pytest.mark.parametrize("command", SECRET_WRITES)
@pytest.mark.parametrize("key", ["command", "input"])
def test_what_a_command_or_a_patch_writes_into_a_secret_file_is_redacted(command: str, key: str) -> None:
    (event,) = clean(ToolCall(id="1", name="shell", arguments={key: command.format("kingfisher")}))
    assert isinstance(event, ToolCall)
    assert "kingfisher" not in str(event.arguments)
    assert "REDACTED" in str(event.arguments)


@pytest.mark.parametrize(
    "command",
    [
        "echo 'REGION=kingfisher' >> notes.txt; cat .env",
        "echo 'REGION=kingfisher' > .env.example",
        "cat > app.py <<EOF\nREGION = 'kingfisher'\nEOF\ncat .env",
        "git commit -m 'fix: kingfisher' > .env",
        "sed -n 's/REGION=kingfisher//p' .env",
        "cat > a.html <<'EOF'\n<label>Password</label>\nEOF\necho 'Status: kingfisher'",
        "cat > A.java <<'EOF'\nList<Credential> credentials;\nEOF\necho 'Status: kingfisher'",
        'echo "REGION=$REGION" >> .env && echo "Next: kingfisher"',
        'echo "REGION=$kingfisher" >> .env',
        "python -c \"print(open('.env').read())\" && echo 'Status: kingfisher'",
        "*** Begin Patch\n*** Add File: a.py\n+R = 'kingfisher'\n*** Add File: .env\n+A=b\n*** End Patch",
    ],
)
def test_what_is_written_elsewhere_stays(command: str) -> None:
    (event,) = clean(ToolCall(id="1", name="shell", arguments={"command": command}))
    assert isinstance(event, ToolCall)
    assert "kingfisher" in str(event.arguments)


@pytest.mark.parametrize("key", ["content", "newText", "new_str", "diff", "code_edit"])
def test_what_an_editing_tool_writes_into_a_secret_file_is_redacted(key: str) -> None:
    call = ToolCall(id="1", name="edit", arguments={"path": ".env", key: "REGION=kingfisher\n"})
    assert "kingfisher" not in str(clean(call, strict=strict_events([call])))


OLD, NEW = "Velvet" + "1881!", "mango4" + "pickle!"
EDITS: list[dict[str, object]] = [
    {"old_string": f'"{OLD}"', "new_string": f'"{NEW}"'},
    {"oldText": f"x = [\n    {OLD},\n]", "newText": f"x = [\n    {NEW},\n]\n"},
    {"edits": [{"old_str": f"f('a', '{OLD}')", "new_str": f"f('a', '{NEW}')"}]},
    {"input": f"*** Begin Patch\n*** Update File: n.py\n x(\n-    '{OLD}',\n+    '{NEW}',\n*** End Patch"},
]


@pytest.mark.parametrize("arguments", EDITS)
def test_what_takes_the_place_of_a_secret_in_an_edit_is_redacted(arguments: dict[str, object]) -> None:
    write = ToolCall(id="1", name="Write", arguments={"path": "n.py", "content": f'PASSWORD = "{OLD}"\n'})
    edit = ToolCall(id="2", name="Edit", arguments=arguments)  # type: ignore[arg-type]
    said = Message(id="3", content=f"It is {NEW} now.")
    text = repr(clean(write, edit, said))
    assert OLD not in text and NEW not in text


def test_what_takes_the_place_of_other_text_stays() -> None:
    for old, new in ((f'"{OLD}"', "os.environ['DB_WORD1']"), ("a8\n" + OLD, f"{NEW}, b"), ("x", NEW)):
        write = ToolCall(id="1", name="Write", arguments={"content": f'PASSWORD = "{OLD}"\n'})
        edit = ToolCall(id="2", name="Edit", arguments={"old_string": old, "new_string": new})
        assert new in repr(clean(write, edit))


@pytest.mark.parametrize(
    "new", ["node20-slim", "feature/login-2", "localhost:5432", "UserRole.ADMIN2", "users-service-v2"]
)
def test_a_word_in_the_place_of_a_secret_is_judged_by_the_name_of_its_line(new: str) -> None:
    for line in ("token = '{}'", "f('{}')"):
        old = line.format("ghp_" + draw("base62", 36, 1))
        edit = ToolCall(id="1", name="Edit", arguments={"old_string": old, "new_string": line.format(new)})
        said = Message(id="2", content=f"It is {new} now.")
        assert f"It is {new} now." in repr(clean(edit, said))


def test_only_the_written_text_of_a_strict_call_is_redacted_strictly() -> None:
    event = ToolCall(id="id", name="Write", arguments={"file_path": ".env", "content": "A=1"})
    assert {text for text, strictly in strictness_of(event, strict=True).items() if strictly} == {"", "A=1"}


def test_a_token_split_over_two_fragments_of_one_message_is_redacted() -> None:
    half = len(TOKEN) // 2
    one, other = clean(
        Message(id="1", response="r", content=f"It is {TOKEN[:half]}"),
        Message(id="2", response="r", content=f"{TOKEN[half:]}, keep it."),
    )
    assert one.content.startswith("It is REDACTED-")
    assert other.content == ", keep it."


def test_fragments_of_two_messages_are_not_joined() -> None:
    half = len(TOKEN) // 2
    events = (
        Message(id="1", response="r", content=TOKEN[:half]),
        Message(id="2", response="s", content=TOKEN[half:]),
    )
    assert clean(*events) == events


@pytest.mark.parametrize(
    "arguments",
    [
        {"argv": ["mysql", f"--password={PASSWORD}"]},
        {"argv": ["tool", "--password", PASSWORD]},
        {"env": [{"name": "DB_PASSWORD", "value": PASSWORD}]},
    ],
)
def test_a_value_is_redacted_by_its_neighbours(arguments: dict[str, object]) -> None:
    (event,) = clean(ToolCall(id="1", name="x", arguments=arguments))  # type: ignore[arg-type]
    assert PASSWORD not in repr(event)


def test_only_short_neighbours_are_joined() -> None:
    assert (
        list(neighbours({"a": "x", "b": ["y", "z"], "c": {"d": "w"}}))
        == ['{"a":"x"}', "y z", '["y","z"]'][1:]
    )
    assert list(neighbours(["x" * 5_000, "y"])) == []
    assert list(neighbours("text")) == []


class Failing(Redactor):
    """Cannot scan a text with the word ``endless``."""

    def text(self, text: str, *, name: str | None = None, strict: bool = False) -> str:
        if "endless" in text:
            raise RedactionError("a text could not be scanned")
        return super().text(text, name=name, strict=strict)

    def learn(self, text: str, *, name: str | None = None, strict: bool = False) -> None:
        self.text(text, name=name, strict=strict)


def test_a_text_that_cannot_be_scanned_is_left_out_alone() -> None:
    events: tuple[AnyEvent, ...] = (
        ToolResult(id="1", call_id="c", content="endless", raw={"a": "endless", "b": "kept"}),
        ToolCall(id="2", name="x", arguments={"a": ["endless", "kept"]}),
        *(
            Message(id=str(n), content=text, response="r")
            for n, text in enumerate(("end", "less ", "words"), 3)
        ),
        Message(id="6", content="kept"),
    )
    redactor, trajectory = Failing(key=b"k" * 32), trajectory_of(*events)
    teach(redactor, [trajectory], frozenset())
    done, left_out = clean_trajectory(redactor, trajectory, frozenset("1"), str)
    result, call, first, *rest, last = done.events
    assert (result.content, result.raw) == (LEFT_OUT, {"a": LEFT_OUT, "b": "kept"})
    assert call == replace(events[1], arguments={"a": [LEFT_OUT, "kept"]})
    assert [e.content for e in (first, *rest, last)] == [LEFT_OUT, "", "", "kept"]
    assert left_out == 4
    again = Redactor(key=b"k" * 32, options=Options(paranoid=True))
    for text in (LEFT_OUT, f"a = {LEFT_OUT}"):
        assert again.text(text, name="password", strict=True) == text


def test_an_id_that_cannot_be_scanned_raises() -> None:
    redactor, trajectory = Failing(key=b"k" * 32), trajectory_of(Message(id="endless", content="x"))
    teach(redactor, [trajectory], frozenset())
    with pytest.raises(RedactionError):
        clean_trajectory(redactor, trajectory, frozenset(), str)


def test_a_session_id_is_not_redacted_by_its_field_name() -> None:
    names: dict[str, str | None] = {}

    def look(text: str, name: str | None, strictly: bool) -> str:
        names[text] = name
        return f"<{text}>"

    whole = SessionInfo(session="tg-1", title="t")
    found = map_trajectory(replace(trajectory_of(), whole=whole), look, ())
    assert (found.whole.session, found.whole.title, names["tg-1"]) == ("<tg-1>", "<t>", None)


def test_a_secret_over_the_cut_of_a_raw_log_is_redacted() -> None:
    halves = (f"a long line {TOKEN[:20]}", f"{TOKEN[20:]} goes on")
    first, second = clean(
        *(Foreign(id=f"raw:{n}", type="raw", content=half) for n, half in enumerate(halves))
    )
    assert TOKEN[4:20] not in first.content and second.content == " goes on"
