"""Fixtures for all tests. Each test runs in an empty HOME and never sees the real one."""

from __future__ import annotations

import gc
import os
import shutil
from collections.abc import Iterator
from itertools import count
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from tests.sizes import NIGHTLY, size

# a busy machine must not fail a test
settings.register_profile(
    "unhurried",
    settings.default,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
    max_examples=size(25, 100),
)
settings.load_profile("unhurried")
SHARING = settings(suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture])
"""For a test whose examples may share a fixture, such as ``tmp_path``."""
ROOT = Path(__file__).resolve().parent.parent
pytest.register_assert_rewrite("tests.integration.desk")
_KEEP = ("PATH", "TMPDIR", "LANG", "LC_ALL", "SYSTEMROOT", "COVERAGE_PROCESS_START")
_ORDINARY = "not nightly"  # what pyproject.toml selects
_OURS = ("GIT_TRAJ_SAMPLES", "GIT_TRAJ_VECTORS", "GIT_TRAJ_TYPAGE", "GIT_TRAJ_BROWSER", "GIT_TRAJ_E2E")


def pytest_configure(config: pytest.Config) -> None:
    if NIGHTLY and config.option.markexpr == _ORDINARY:
        config.option.markexpr = ""


def pytest_collection_finish() -> None:
    """Exempt the collected tests from garbage collection: thousands of them live until the end."""
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="session")
def homes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Yield paths for new homes. ``mktemp`` would examine all existing folders, and there are thousands."""
    place = tmp_path_factory.mktemp("homes")
    return (place / str(number) for number in count())


@pytest.fixture(scope="session")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Create the template for ``git init``: like git's own, but with one sample hook instead of fourteen,
    which would be copied into every repository and clone."""
    place = tmp_path_factory.mktemp("template")
    for name in ("hooks/pre-commit.sample", "info/exclude", "description"):
        (place / name).parent.mkdir(exist_ok=True)
        (place / name).write_text("# nothing\n")
    return place


@pytest.fixture(autouse=True)
def empty_home(homes: Iterator[Path], template: Path) -> Iterator[Path]:
    """Replace the environment: no key, no agent, no git configuration, no CI variables of the caller."""
    home = next(homes)
    home.mkdir()
    kept = {k: v for k, v in os.environ.items() if k in _KEEP or k.startswith(_OURS)}
    kept |= {
        "HOME": str(home),
        "XDG_CONFIG_HOME": str(home / ".config"),
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_GLOBAL": str(home / ".gitconfig"),
        "GIT_TEMPLATE_DIR": str(template),
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_AUTHOR_DATE": "2026-01-02T03:04:05Z",
        "GIT_COMMITTER_DATE": "2026-01-02T03:04:05Z",
        "TZ": "UTC",
    }
    (home / ".gitconfig").write_text(
        "[user]\n\tname = A U Thor\n\temail = author@example.com\n[init]\n\tdefaultBranch = main\n"
        "[gc]\n\tauto = 0\n[maintenance]\n\tauto = false\n[advice]\n\tdetachedHead = false\n"
    )
    if folder := os.environ.get("GIT_TRAJ_TEST_GIT"):  # hooks and agents find this git too
        assert shutil.which("git", path=folder), f"GIT_TRAJ_TEST_GIT: no git in {folder}"
        kept["PATH"] = f"{folder}{os.pathsep}{kept.get('PATH', '')}"
    saved = dict(os.environ)
    os.environ.clear()
    os.environ.update(kept)
    yield home
    os.environ.clear()
    os.environ.update(saved)


@pytest.fixture
def samples() -> Path:
    """The folder of real session files, kept outside the project; without it, the test is skipped."""
    named = os.environ.get("GIT_TRAJ_SAMPLES")
    place = Path(named) if named else ROOT.parent / "shared" / "samples" / "given"
    if not place.is_dir():
        pytest.skip("no sample sessions: set GIT_TRAJ_SAMPLES to their folder")
    return place


@pytest.fixture
def vectors() -> Path:
    """The folder of test vectors, with one folder per format; without it, the test is skipped."""
    named = os.environ.get("GIT_TRAJ_VECTORS")
    place = Path(named) if named else ROOT.parent / "shared" / "vectors"
    if not place.is_dir():
        pytest.skip("no test vectors: set GIT_TRAJ_VECTORS to their folder")
    return place
