"""The objects that plug-ins add, the names that they must not use, and faults for which they are left out."""

from __future__ import annotations

import importlib.metadata
from collections.abc import Callable
from dataclasses import replace
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

import pytest

from gittraj import plugins
from gittraj.agents import HookSettings, InstructionFile, SessionFile, all_agents
from gittraj.agents.logged import LoggedAgent
from gittraj.commands.install.shims import Interpreter, render
from gittraj.config import Environ
from gittraj.errors import FormatError
from gittraj.formats import formats, reader_of, store_of
from gittraj.state.spool import parse_spool

AGENT = LoggedAgent(name="two", option="two", home=".two", log="{0}", session="AGENT2_SESSION")
SwitchOn = Callable[..., None]


@pytest.fixture
def switch_on(monkeypatch: pytest.MonkeyPatch) -> SwitchOn:
    process = plugins._Process()
    monkeypatch.setattr(plugins, "_PROCESS", process)

    def switch_on(*programs: str, **agents: Any) -> None:
        process.loaded = {name: {"agents": agent} for name, agent in agents.items()}
        monkeypatch.setattr(plugins, "names", lambda: (*agents, *programs))

    return switch_on


def program(folder: Path, name: str) -> str:
    folder.mkdir(exist_ok=True)
    path = folder / f"git-traj-agent-{name}"
    path.write_text("#!/bin/sh\n")
    path.chmod(0o755)
    return str(path)


@pytest.mark.parametrize("name", ["", "a b", "ä/../x", "x" * 300])
def test_a_program_without_a_usable_name_is_left_out(name: str, tmp_path: Path, switch_on: SwitchOn) -> None:
    """Its wrong path must not stop other commands."""
    setting = f"{tmp_path}/git-traj-agent-{name}" if len(name) > 9 or "/" in name else program(tmp_path, name)
    switch_on(setting)
    ours = len(formats())
    assert "codex" in all_agents()
    assert plugins.reason(setting) is not None
    assert len(formats()) == ours


def test_a_faulty_program_is_reported_by_its_setting(tmp_path: Path, switch_on: SwitchOn) -> None:
    setting = program(tmp_path, "two").replace("/git-traj-agent", "//git-traj-agent")
    Path(setting).write_text("#!/bin/sh\necho nonsense\n")
    switch_on(setting)
    [*all_agents()["two"].sessions(Environ.of({"PATH": "/usr/bin:/bin"}), [tmp_path], since=0.0)]
    assert "a line of its sessions" in (plugins.reason(setting) or "")


def test_a_name_that_is_taken_is_reported(tmp_path: Path, switch_on: SwitchOn) -> None:
    """The second plug-in with a name must neither vanish silently nor replace the first."""
    first, second = program(tmp_path / "a", "demo"), program(tmp_path / "b", "demo")
    codex = program(tmp_path, "codex")
    switch_on(first, second, codex, one=AGENT, other=replace(AGENT, option="other", session=None))
    assert {"two", "demo"} <= {*all_agents()}
    reasons = {name: plugins.reason(name) for name in plugins.names()}
    assert reasons == {
        "one": None,
        "other": "gittraj.agents: the name two is taken",
        first: None,
        second: "gittraj.agents: the name demo is taken",
        codex: "gittraj.agents: the name codex is taken",
    }


@pytest.mark.parametrize("option", ["claude-code", "gemini"])
def test_our_own_options_cannot_be_taken(option: str, switch_on: SwitchOn) -> None:
    switch_on(two=replace(AGENT, option=option))
    assert "two" not in all_agents()
    assert plugins.reason("two") == f"gittraj.agents: the name {option} is taken"


@pytest.mark.parametrize(
    "row",
    [
        SessionFile(agent="another", session="s", path=Path("/")),
        SessionFile(agent="two", session="s", path="/"),  # type: ignore[arg-type]
        SessionFile(agent="two", session="s", path=Path("/"), changed="now"),  # type: ignore[arg-type]
    ],
)
def test_an_agent_that_returns_a_wrong_session_is_left_out(row: SessionFile, switch_on: SwitchOn) -> None:
    """Such an agent must not stop the drain."""

    class Wrong(LoggedAgent):
        def sessions(self, *_: object, **_named: object) -> Any:
            return iter([row])

    switch_on(two=Wrong(name="two", option="two", home=".two", log="{0}"))
    assert [*all_agents()["two"].sessions(Environ.of({}), [], since=0.0)] == []
    assert (plugins.reason("two") or "").startswith("sessions: it returned SessionFile(")


SPOOLED = f"2\tcommit\t{'a' * 40}\t/r/.git\t0\t{{}}=s1\n"


def spooled(variable: str) -> tuple[str, ...]:
    (line,) = parse_spool(SPOOLED.format(variable).encode())
    return line.sessions


def test_a_variable_with_a_digit_is_read(switch_on: SwitchOn) -> None:
    switch_on(two=AGENT)
    assert spooled("AGENT2_SESSION") == ("two:s1",)
    assert b" AGENT2_SESSION;" in render("post-commit", Interpreter("/python", ()))


@pytest.mark.parametrize("name", ["CLAUDE_CODE_SESSION_ID", "OPENCODE", "GIT_TRAJ_RUN", "SESSION", "lower"])
def test_our_own_variables_cannot_be_taken(name: str, switch_on: SwitchOn) -> None:
    switch_on(two=replace(AGENT, session=name))
    assert plugins.variables() == {}
    assert plugins.reason("two") is not None
    assert spooled("CLAUDE_CODE_SESSION_ID") == ("claude-code:s1",)


def test_a_plug_in_whose_variable_raises_is_left_out(switch_on: SwitchOn) -> None:
    class Wrong:
        name = "two"

        @property
        def session(self) -> str:
            raise ZeroDivisionError

    switch_on(two=Wrong())
    assert plugins.variables() == {}
    assert plugins.reason("two") == "gittraj.agents: ZeroDivisionError: "


def test_a_plug_in_that_is_left_out_has_no_variable(switch_on: SwitchOn) -> None:
    switch_on(two=AGENT)
    plugins.leave_out("two", "it failed")
    assert plugins.variables() == {}


def test_a_format_of_a_missing_plug_in_is_reported(switch_on: SwitchOn) -> None:
    switch_on()
    for find in (reader_of, store_of):
        with pytest.raises(FormatError, match="its plug-in is left out"):
            find("program-two")


def test_a_failed_load_leaves_nothing_loaded(monkeypatch: pytest.MonkeyPatch, switch_on: SwitchOn) -> None:
    def points(*, name: str) -> list[EntryPoint]:
        return [EntryPoint(name, "json", "gittraj.agents"), EntryPoint(name, "json:gone", "gittraj.formats")]

    switch_on()
    monkeypatch.setattr(importlib.metadata, "entry_points", points)
    monkeypatch.setattr(plugins, "names", lambda: ("half",))
    assert "half" not in all_agents()
    assert "json:gone" in (plugins.reason("half") or "")
    assert plugins._PROCESS.loaded == {"half": {}}


def hooks(**wrong: Any) -> HookSettings:
    return HookSettings(**{"name": "two", "file": ".two/settings.json", "events": {"Stop": None}} | wrong)


class Raising(HookSettings):
    def groups(self, script: Path) -> dict[str, Any]:
        raise ZeroDivisionError(script)


WRONG = {
    "hooks of its own kind": {"hooks": Raising(name="two", file=".two/a.json", events={})},
    "a path outside": {"hooks": hooks(file="../settings.json")},
    "an absolute path": {"instructions": InstructionFile(own="/etc/profile")},
    "a path of git's": {"instructions": InstructionFile(own="A.md", instead=".Git/hooks/post-commit")},
    "another system's path": {"instructions": InstructionFile(own="A.md", beside=("..\\A.md",))},
    "no path": {"hooks": hooks(file=7)},
    "no paths": {"instructions": InstructionFile(own="A.md", beside=7)},  # type: ignore[arg-type]
    "too many paths": {"instructions": InstructionFile(own="A.md", beside=("B.md",) * 99)},
    "another's name": {"hooks": hooks(name="two; rm -r ~")},
    "no events": {"hooks": hooks(events=["Stop"])},
    "too many events": {"hooks": hooks(events=dict.fromkeys(map(str, range(99))))},
    "an event of the wrong type": {"hooks": hooks(events={"Stop": 7})},
    "a label that is too long": {"hooks": hooks(label={"name": "x" * 999})},
    "a second of the wrong type": {"hooks": hooks(second="1")},
    "an advice of two lines": {"hooks": hooks(advice="a\nb")},
}


@pytest.mark.parametrize("fault", WRONG)
def test_an_agent_whose_installation_cannot_be_written_is_left_out(
    fault: str, switch_on: SwitchOn, capsys: pytest.CaptureFixture[str]
) -> None:
    """Its files must not be written outside the work tree, and the installation must not stop."""
    agent = replace(AGENT, instructions=WRONG[fault].get("instructions"))
    object.__setattr__(agent, "hooks", WRONG[fault].get("hooks"))
    switch_on(two=agent)
    assert "two" not in all_agents()
    printed = capsys.readouterr().err
    assert printed.count("\n") == 1
    assert ("paths inside a work tree" in printed) == ("path" in fault)


def test_an_agent_with_hooks_and_an_instruction_is_used(switch_on: SwitchOn) -> None:
    agent = replace(AGENT, instructions=InstructionFile(own="docs/A.md", beside=("B.md",), instead="C.md"))
    object.__setattr__(agent, "hooks", hooks(label={"name": "x"}, advice="Restart it", second=1000))
    switch_on(two=agent)
    assert all_agents()["two"].hooks == agent.hooks


def test_unreadable_metadata_of_a_package_stops_no_command(
    monkeypatch: pytest.MonkeyPatch, switch_on: SwitchOn
) -> None:
    """One package's metadata must not stop every command."""

    def points(**_: str) -> list[EntryPoint]:
        raise UnicodeDecodeError("utf-8", b"\xff", 0, 1, "broken")

    switch_on()
    monkeypatch.setattr(importlib.metadata, "entry_points", points)
    monkeypatch.setattr(plugins, "names", lambda: ("half",))
    assert "codex" in all_agents()
    assert (plugins.reason("half") or "").startswith("the metadata of a package cannot be read: UnicodeDec")
