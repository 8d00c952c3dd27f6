"""The instruction in the files that agents read: it is added, reported, and removed byte for byte."""

from __future__ import annotations

from pathlib import Path

import pytest

from gittraj.commands.install.install import install
from gittraj.commands.install.instructions import TEXT, find_files
from gittraj.commands.install.manifest import Step
from gittraj.commands.install.uninstall import uninstall
from tests.integration.records import traj
from tests.integration.repository import Git

FILES = find_files()
OWN = {name: file.own for name, file in FILES.items()}
CLAUDE, AGENTS, GEMINI = "# Ours\n", "Be kind", "\r\nTabs\r\n"


def put_in(git: Git, *agents: str, dry_run: bool = False) -> dict[str, Step]:
    with git.open() as repository:
        found = install(repository, agents=agents, dry_run=dry_run)
    return {step.name: step for step in reversed(found) if step.what == "instruction"}


def take_out(git: Git) -> dict[str, Step]:
    with git.open() as repository:
        return {step.name: step for step in uninstall(repository) if step.what == "instruction"}


def content(git: Git, file: str) -> str:
    return (git.root / file).read_bytes().decode()


def test_a_file_that_we_create_is_ignored_by_git(git: Git) -> None:
    git.commit({"a": "1"})
    steps = put_in(git, *FILES)
    assert {name: step.did for name, step in steps.items()} == dict.fromkeys(OWN.values(), "added")
    assert (
        steps["AGENTS.md"].text == "instruction for codex added; the file is ignored by git, so it stays here"
    )
    assert {content(git, file) for file in OWN.values()} == {TEXT}
    assert git("status", "--porcelain") == ""
    assert {step.did for step in put_in(git, *FILES).values()} == {"unchanged"}
    assert {step.did for step in take_out(git).values()} == {"removed"}
    assert not [file for file in OWN.values() if (git.root / file).exists()]
    assert take_out(git) == {}


def test_the_teams_files_get_it_at_their_end_and_are_reported(git: Git) -> None:
    git.commit({"CLAUDE.md": CLAUDE, "AGENTS.md": AGENTS, "GEMINI.md": GEMINI})
    steps = put_in(git, *FILES)
    assert steps["AGENTS.md"].text.startswith("instruction for codex added; git tracks the file: ")
    assert content(git, "CLAUDE.md") == CLAUDE, "Claude Code reads a personal file"
    assert content(git, "AGENTS.md") == f"{AGENTS}\n\n{TEXT}"
    assert content(git, "GEMINI.md").startswith(GEMINI + "\r\n<!-- git-traj: begin -->\r\n")
    (git.root / "AGENTS.md").write_text("First of all:\n" + content(git, "AGENTS.md"))
    take_out(git)
    assert content(git, "AGENTS.md") == "First of all:\n" + AGENTS
    assert content(git, "GEMINI.md") == GEMINI
    assert git("status", "--porcelain").split() == ["M", "AGENTS.md"]


def test_a_dry_run_writes_no_instruction(git: Git) -> None:
    steps = put_in(git, *FILES, dry_run=True)
    assert {step.did for step in steps.values()} == {"added"}
    assert not [file for file in OWN.values() if (git.root / file).exists()]


def test_a_changed_instruction_is_reported_and_left(git: Git) -> None:
    put_in(git, "claude-code")
    path = git.root / "CLAUDE.local.md"
    path.write_text(path.read_text().replace("PATH", "PATH --budget 500"))
    theirs = path.read_bytes()
    step = put_in(git, "claude-code")["CLAUDE.local.md"]
    assert (step.did, step.text) == (
        "skipped",
        "left as it is: its instruction was edited; to get ours, remove its lines and install again",
    )
    assert take_out(git)["CLAUDE.local.md"].did == "skipped"
    assert path.read_bytes() == theirs


def test_our_file_stays_if_others_added_text(git: Git) -> None:
    put_in(git, "gemini")
    path = git.root / "GEMINI.md"
    path.write_text(path.read_text() + "Mine\n")
    take_out(git)
    assert path.read_text() == "Mine\n"


@pytest.mark.parametrize("shared", ["CLAUDE.md", ".claude/CLAUDE.md"])
def test_an_instruction_that_the_team_shares_is_enough_and_stays(git: Git, shared: str) -> None:
    git.commit({shared: f"# Ours\n\n{TEXT}"})
    assert put_in(git, "claude-code")[shared].did == "unchanged"
    assert not (git.root / "CLAUDE.local.md").exists()
    assert take_out(git) == {}
    assert TEXT in content(git, shared)


def test_an_override_of_agents_md_gets_the_instruction_for_codex(git: Git) -> None:
    git.write({"AGENTS.md": "everyone\n", "AGENTS.override.md": "mine\n"})
    put_in(git, "codex")
    assert content(git, "AGENTS.md") == "everyone\n"
    assert content(git, "AGENTS.override.md") == f"mine\n\n{TEXT}"


def test_a_link_is_written_through_but_not_out_of_the_repository(git: Git, tmp_path: Path) -> None:
    git.write({"AGENTS.md": "everyone\n"})
    (git.root / "GEMINI.md").symlink_to("AGENTS.md")
    steps = put_in(git, "codex", "gemini")
    assert {name: step.did for name, step in steps.items()} == {
        "AGENTS.md": "added",
        "GEMINI.md": "unchanged",
    }
    take_out(git)
    assert content(git, "AGENTS.md") == "everyone\n"
    assert (git.root / "GEMINI.md").is_symlink()

    (tmp_path / "elsewhere").write_text("x")
    (git.root / "CLAUDE.local.md").symlink_to(tmp_path / "elsewhere")
    assert put_in(git, "claude-code")["CLAUDE.local.md"].did == "failed"
    assert (tmp_path / "elsewhere").read_text() == "x"


def test_the_instruction_is_found_when_the_manifest_is_lost(git: Git) -> None:
    git.commit({"AGENTS.md": "everyone\n"})
    put_in(git, *FILES)
    (git.root / ".git/traj/installed.json").write_text("{")
    assert set(take_out(git)) == {"CLAUDE.local.md", "GEMINI.md", "QWEN.md"}, (
        "what git tracks may be the team's"
    )


def test_a_file_that_is_not_text_is_left(git: Git) -> None:
    words = "Servus".encode("utf-16")
    (git.root / "GEMINI.md").write_bytes(words)
    assert put_in(git, "gemini")["GEMINI.md"].did == "failed"
    assert (git.root / "GEMINI.md").read_bytes() == words


def test_each_work_tree_has_its_own_instruction(git: Git, tmp_path: Path) -> None:
    git.commit({"a": "1"})
    git("worktree", "add", "-q", str(tmp_path / "other"))
    other = Git(tmp_path / "other")
    put_in(other, "claude-code")
    assert not (git.root / "CLAUDE.local.md").exists()
    assert set(take_out(git)) == {"CLAUDE.local.md"}
    assert not (other.root / "CLAUDE.local.md").exists()


@pytest.mark.parametrize("agent", ["cline", "copilot", "pi", "qwen"])
def test_an_agent_without_hooks_gets_the_instruction(git: Git, agent: str) -> None:
    git.commit({OWN[agent]: AGENTS})
    printed = traj(git, "install", "--agent", agent)
    assert f"{OWN[agent]}: instruction for {agent} added" in printed
    assert content(git, OWN[agent]).startswith(AGENTS)
    assert content(git, OWN[agent]).endswith(TEXT)
    assert (git.root / ".git/traj/git-traj").is_file(), "the instruction names this program"
    traj(git, "uninstall")
    assert content(git, OWN[agent]) == AGENTS


def test_install_prints_the_instruction_step(git: Git) -> None:
    said = traj(git, "install", "--agent", "claude-code")
    assert (
        "CLAUDE.local.md: instruction for claude-code added; the file is ignored by git, so it stays here\n"
        in said
    )
