"""A task system can be added with one module and one line in a table."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from gittraj.tasks.lookup import look_up, report
from gittraj.tasks.naming import detect, from_branch
from gittraj.tasks.system import TASKS, Site
from tests.unit.test_contributing import example

TRACKER = (
    "import re\nfrom gittraj.errors import TaskError\nfrom gittraj.model.values import TaskSource\n"
    "from gittraj.tasks.system import Known\n" + example("A task system")
)


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Site:
    (tmp_path / "a_tracker.py").write_text(TRACKER)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setitem(TASKS, "tracker", "a_tracker")
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    return Site(environ={"TRACKER_TOKEN": "me"})


def test_another_system_is_used_like_the_others(site: Site) -> None:
    task = detect("T12", site)
    assert task
    assert from_branch("ada/T12", site) == task
    result = look_up(task, site)
    assert (result.task.title, result.status, result.task.source) == ("T12 by me", "new", task.source)
    none = detect("tracker:T0", site)
    assert none
    result = look_up(none, site)
    assert result.task == none
    assert str(result.trouble) == "tracker has no T0"


def test_a_bug_in_another_system_is_not_hidden(site: Site) -> None:
    task = detect("T12", site)
    assert task
    with pytest.raises(ZeroDivisionError):
        report(task, "started", site)
