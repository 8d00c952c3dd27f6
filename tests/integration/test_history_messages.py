"""Other people's hooks and editors next to ours: edge case 13 of ``docs/edge-cases.md``.

``desk``: a repository where agents commit, recorded at once. ``each_desk``: at once, or only at the end."""

from __future__ import annotations

import pytest

from tests.e2e.scenario import Shell, Write
from tests.integration.desk import Desk
from tests.integration.repository import Git

REWRITE = '#!/bin/sh\nprintf "PROJ-1 %s\\n" "$(cat "$1")" >"$1"\n'


def hook(desk: Desk, name: str, text: str) -> None:
    """Add a hook that git runs in addition to ours; an existing hook is kept."""
    path = desk.git.root / ".git" / "hooks" / name
    path.write_text(text)
    path.chmod(0o755)


def refuse_once(desk: Desk) -> str:
    """Return the script of a hook that fails the first time."""
    mark = desk.git.root.parent / "failed"
    return f'#!/bin/sh\n[ -e "{mark}" ] && exit 0\n: >"{mark}"\necho "not like this" >&2\nexit 1\n'


@pytest.mark.parametrize("quiet", ["", "-q"])
def test_edge_13_a_hook_rewrites_the_subject(each_desk: Desk, quiet: str) -> None:
    hook(each_desk, "commit-msg", REWRITE)
    for name in "ab":
        each_desk.work(name, Write(name, f"{name}\n"), Shell(f"git add . && git commit {quiet} -m {name}"))
    each_desk.check({"PROJ-1 a": {"a"}, "PROJ-1 b": {"b"}})


def test_edge_13_a_hook_rewrites_the_subject_in_a_rebase(desk: Desk) -> None:
    desk.branch_off("a", "b")
    hook(desk, "commit-msg", REWRITE)
    assert desk.run_git("rebase", "--force-rebase", "main", "--exec", "git commit -q --amend --no-edit") == 0
    desk.check({"PROJ-1 a": {"a"}, "PROJ-1 b": {"b"}})


def test_edge_13_an_emptied_message_makes_no_commit(each_desk: Desk) -> None:
    """The work belongs to the commit that is made in the end."""
    empty = "GIT_EDITOR='sed -i d' git commit"
    each_desk.work("given up", Write("a", "a\n"), Shell(f"git add a && {empty}"))
    assert each_desk.git("log", "--format=%s") == "base"
    each_desk.commit("b")
    each_desk.check({"b": {"given up", "b"}})


def test_edge_13_a_person_empties_the_message(desk: Desk) -> None:
    desk.commit("a")
    desk.git.write({"a": "mine\n"})
    assert desk.run_git("commit", "--all", "--amend", env={"GIT_EDITOR": "sed -i d"}) == 1
    desk.check({"a": {"a"}})


@pytest.mark.parametrize("name", ["pre-commit", "prepare-commit-msg", "commit-msg"])
def test_edge_13_a_hook_fails_and_the_agent_tries_again(not_installed: Desk, name: str) -> None:
    desk = not_installed
    hook(desk, name, refuse_once(desk))
    desk.install()
    desk.work("try", Write("a", "a\n"), Shell("git add a && git commit -m a"))
    assert desk.git("log", "--format=%s") == "base"
    desk.work("again", Shell("git commit -m a"))
    desk.check({"a": {"try", "again"}})


@pytest.mark.parametrize("name", ["post-commit", "post-rewrite"])
def test_edge_13_a_later_hook_fails(not_installed: Desk, name: str) -> None:
    """git ignores the status of such hooks; so do we."""
    desk = not_installed
    hook(desk, name, "#!/bin/sh\nexit 1\n")
    desk.install()
    desk.commit("a")
    assert desk.run_git("commit", "--amend", "--message", "amended") == 0
    desk.check({"amended": {"a"}})


@pytest.fixture
def not_installed(git: Git) -> Desk:
    """A desk where git-traj is not installed yet."""
    git.commit({"base": "1\n"}, "base")
    return Desk(git)
