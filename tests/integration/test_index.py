"""With the index, whatever happens to it, the answer is the same as without it."""

from __future__ import annotations

import os
import random
import shutil
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import closing, suppress
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from gittraj.cli.common.group import call
from gittraj.commands.doctor.findings import _check_index
from gittraj.git import open_repository
from gittraj.index import file
from gittraj.index.answers import Answers, open_index
from gittraj.index.file import LISTINGS, has_nothing_new
from gittraj.index.keep_warm import keep_index
from gittraj.index.schema import FOLDER
from tests.integration.random_history import FOLDERS, RandomHistory
from tests.integration.records import install
from tests.integration.repository import Git
from tests.integration.story import Story, record
from tests.integration.unindexed import without
from tests.integration.waiting import LONG, wait_until
from tests.sizes import size, some

QUERIES = size(9, 36, "GIT_TRAJ_QUERIES")
Ask = Callable[[Path, list[str]], str]


@pytest.fixture
def ask(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Ask:
    """A function that runs `git traj log …` in a repository; returns stdout, stderr and status."""

    def run(root: Path, words: list[str]) -> str:
        monkeypatch.chdir(root)
        status = call(["log", *words])
        said = capsys.readouterr()
        return f"{status}\n{said.out}{said.err}"

    return run


@pytest.fixture
def answer(ask: Ask, monkeypatch: pytest.MonkeyPatch) -> Callable[..., str | None]:
    """Like ``ask``, but returns None unless the whole answer was cached."""
    cached = False
    rendered = Answers.rendered

    def spy(index: Answers, *args: Any, **options: Any) -> list[tuple[str, str]] | None:
        nonlocal cached
        found = rendered(index, *args, **options)
        cached = bool(found)
        return found

    monkeypatch.setattr(Answers, "rendered", spy)

    def run(root: Path, *words: str) -> str | None:
        nonlocal cached
        cached = False
        text = ask(root, [*words])
        return text if cached else None

    return run


def random_words(rng: random.Random, history: RandomHistory) -> list[str]:
    """Random arguments of ``git traj log``."""
    words = []
    commits = history.commits
    match rng.randrange(6):
        case 0:
            words.append(rng.choice(commits))
        case 1:
            words.append(f"{rng.choice(commits)}..{rng.choice((rng.choice(commits), 'HEAD'))}")
        case 2:
            words.append(f"refs/heads/r{rng.randrange(len(commits))}")
        case _:
            pass
    words += rng.choice(([], ["--oneline"], ["--json"], ["--trajectories"], ["--all"], ["--no-follow"]))
    words += rng.choice(([], [], [], ["-n", str(rng.randrange(1, 9))]))
    words += rng.choice(([], [], [], ["--author", "Thor 1"], ["--until", "2023-11-15"], ["--min-cost", "50"]))
    paths = [
        *rng.sample(sorted(history.paths), 2),
        *(folder.rstrip("/") or "." for folder in FOLDERS),
        *("*.py", ":!src", "never", "src/never"),
    ]
    for path in rng.sample(paths[:2] * 6 + paths, rng.choice((0, 1, 1, 1, 1, 2))):
        words.append(f"--file={path}")
    return words


@pytest.mark.parametrize("seed", some(range(3), 1))
def test_the_index_changes_no_answer(
    seed: int, tmp_path: Path, ask: Ask, answer: Callable[..., str | None]
) -> None:
    rng = random.Random(seed)
    history = RandomHistory(tmp_path / "repo", rng)
    from_cache = 0
    for stage in range(3):
        history.grow(40)
        history.add_records(0.5)
        if stage:
            history.set_head(rng.choice(history.commits[-20:]))
        plain = without(history.root)  # a copy that has no index
        for _ in range(QUERIES // 9):
            words = random_words(rng, history)
            expected = ask(plain, words)
            assert ask(history.root, words) == expected, words
            said = answer(history.root, *words)
            from_cache += said is not None
            assert said in (None, expected), words
        for path in ("", *sorted(history.paths)[:: len(history.paths) // 5 + 1]):
            named = ["--file", path] if path else []
            expected = ask(plain, named)
            assert ask(history.root, named) == expected, path
            said = answer(history.root, *named)
            from_cache += said is not None
            assert said in (None, expected), path
    assert from_cache
    assert (history.root / ".git" / FOLDER / LISTINGS.name).exists()


# ---------------------------------------------------------------- damage to the index


@pytest.fixture
def history(tmp_path: Path) -> RandomHistory:
    made = RandomHistory(tmp_path / "repo", random.Random(11))
    made.grow(40)
    made.add_records(0.8)
    return made


@pytest.fixture
def path(history: RandomHistory, ask: Ask) -> str:
    """A file with records."""
    found = (
        path for path in sorted(history.paths) if "no matching" not in ask(history.root, ["--file", path])
    )
    return next(found)


def _truncate(path: Path) -> None:
    os.truncate(path, path.stat().st_size // 2)


def _scribble(path: Path) -> None:
    with path.open("r+b") as stream:
        for at in range(0, path.stat().st_size, 2048):
            stream.seek(at + 700)
            stream.write(random.Random(at).randbytes(90))


def _age(path: Path) -> None:
    """Change the file to what another version would leave."""
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA user_version = 12345")
    connection.close()
    found = path.stat()
    (path.parent / "stamp").write_text(f"{found.st_size} {found.st_mtime_ns} {found.st_ino}")


def _spoil_quietly(path: Path, page: int = 1) -> None:
    """Overwrite pages of a file that still looks untouched."""
    with path.open("r+b") as stream:
        stream.seek(4096 * page)
        stream.write(b"\xff" * (path.stat().st_size - 4096 * page))
    found = path.stat()
    (path.parent / "stamp").write_text(f"{found.st_size} {found.st_mtime_ns} {found.st_ino}")


@pytest.mark.parametrize(
    "harm",
    [
        Path.unlink,
        _truncate,
        _scribble,
        _age,
        _spoil_quietly,
        *some([partial(_spoil_quietly, page=page) for page in (2, 13, 3, 5, 8, 20)], 2),
        lambda path: path.write_bytes(b""),
        lambda path: path.write_bytes(b"no database"),
        lambda path: (path.parent / "stamp").unlink(),
        lambda path: (path.parent / f"{LISTINGS.name}-journal").write_bytes(
            b"\xd9\xd5\x05\xf9\x20\xa1\x63\xd7" + b"x" * 600
        ),
    ],
    ids=["gone", "half", "scribbled", "older", "spoiled", *"abcdef", "empty", "text", "unstamped", "journal"],
)
def test_a_damaged_index_is_rebuilt_silently(
    harm: Callable[[Path], object],
    history: RandomHistory,
    path: str,
    ask: Ask,
    answer: Callable[..., str | None],
) -> None:
    expected = ask(history.root, ["--file", path])
    assert answer(history.root, "--file", path) == expected
    harm(history.root / ".git" / FOLDER / LISTINGS.name)
    assert answer(history.root, "--file", path) in (None, expected)
    for _ in range(3):
        assert ask(history.root, ["--file", path]) == expected
    assert answer(history.root, "--file", path) == expected


def test_without_a_writable_index_the_answer_is_the_same(history: RandomHistory, ask: Ask) -> None:
    expected = ask(history.root, ["--oneline"])
    folder = history.root / ".git" / FOLDER
    shutil.rmtree(folder)
    folder.write_text("in the way")
    assert ask(history.root, ["--oneline"]) == expected


def test_a_deepened_clone_is_read_again(history: RandomHistory, tmp_path: Path, ask: Ask) -> None:
    clone = tmp_path / "clone"
    url = history.root.as_uri()
    git = Git(tmp_path)
    git("clone", "-q", "--no-checkout", "--depth=5", url, str(clone))
    inside = Git(clone)
    inside("fetch", "-q", "origin", "+refs/notes/*:refs/notes/*")
    assert ask(clone, ["--oneline"]) == ask(without(clone), ["--oneline"])
    inside("fetch", "-q", "--unshallow")
    for path in sorted(history.paths)[:4]:
        listed = [ask(root, ["--oneline", "--file", path]) for root in (clone, history.root)]
        one, two = (text.partition("\nhint: ")[0] for text in listed)  # a hint names this clone's branches
        assert one == two


def test_a_removed_note_is_no_longer_listed(git: Git, ask: Ask, answer: Callable[..., str | None]) -> None:
    with git.open() as repository:
        story = Story(repository)
        commits = [git.commit({"a.txt": f"{n}\n"}, f"Number {n}") for n in range(3)]
        for commit in commits:
            story.note(commit, record("traj_one", prompt=f"Word {commit}"))
        assert ask(git.root, ["--file=a.txt"]).count("Word") == 3
        git("notes", "--ref=traj", "remove", commits[1])
        assert answer(git.root, "--file=a.txt") is None
        assert ask(git.root, ["--file=a.txt"]).count("Word") == 2
        said = answer(git.root, "--file=a.txt")
        assert said is not None and said.count("Word") == 2
        assert "of 2" in said or "part" not in said
        git("update-ref", "-d", "refs/notes/traj")
        assert "Word" not in ask(git.root, ["--file=a.txt"])
    raw = (git.root / ".git" / FOLDER / LISTINGS.name).read_bytes()
    assert commits[1].encode() not in raw, "the removed id is still in a free page"


@pytest.mark.nightly
def test_readers_and_writers_at_once(history: RandomHistory, path: str) -> None:
    """Six readers (20 in the nightly run) and four writers of notes; the index is deleted under them."""
    reader = [sys.executable, "-m", "gittraj", "log", "--oneline", "--file", path]
    writer = [sys.executable, "-c", _WRITER, str(history.root)]
    started = [
        subprocess.Popen(command, cwd=history.root, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        for command in [*[writer] * 4, *[reader] * size(6, 20)]
    ]
    time.sleep(0.5)
    file.drop(history.root / ".git")
    for each in started:
        _, said = each.communicate(timeout=LONG)
        assert (each.returncode, said) == (0, b"")
    done = subprocess.run(reader, cwd=history.root, capture_output=True, check=True)
    plain = subprocess.run(reader, cwd=without(history.root), capture_output=True, check=True)
    assert done.stdout == plain.stdout


_WRITER = """
import random, sys
from pathlib import Path
from gittraj.model.codec import encode_note
from gittraj.git import open_repository
from gittraj.index.update import refresh
from gittraj.notes.store import NotesRef
from tests.integration.story import record
with open_repository(Path(sys.argv[1])) as repository:
    commits = repository.run("rev-list", "--all", "--glob=refs/heads/*").out.decode().split()
    for number in range(5):
        line = encode_note([record(f"traj_w{random.random()}", prompt="Again")])
        NotesRef(repository).write({random.choice(commits): lambda old: old + line}, message="a test")
        refresh(repository, repository.head())
"""


def test_a_killed_builder_does_not_block_the_next(history: RandomHistory, ask: Ask) -> None:
    with pytest.raises(KeyboardInterrupt), file.writing(history.root / ".git") as connection:
        file.write_source(connection, notes="half")
        raise KeyboardInterrupt
    expected = ask(without(history.root), ["--oneline"])
    assert ask(history.root, ["--oneline"]) == expected
    with pytest.raises(KeyboardInterrupt), file.writing(history.root / ".git") as connection:
        connection.execute("DELETE FROM notes")
        raise KeyboardInterrupt
    assert ask(history.root, ["--oneline"]) == expected


# ---------------------------------------------------------------- the cached text


def test_only_a_whole_listing_into_a_pipe_is_cached(
    history: RandomHistory, path: str, ask: Ask, answer: Callable[..., str | None]
) -> None:
    expected = ask(history.root, ["--file", path])
    git = Git(history.root)
    for words in ([], ["HEAD"], [git("rev-parse", "HEAD")], ["-n", "1000"], ["--until", "2100-01-01"]):
        assert answer(history.root, "--file", path, *words) == expected, words
    others = ["--json"], ["-n", "0"], ["--all"], ["--trajectories"], ["--grep", "."], ["--min-cost", "0"]
    for words in others:
        assert answer(history.root, "--file", path, *words) is None, words
    (history.root / "sub").mkdir()
    assert answer(history.root / "sub", "--file", f"../{path}") == expected
    git("config", "color.ui", "always")
    assert answer(history.root, "--file", path) is None
    coloured = ask(history.root, ["--file", path])
    assert "\x1b[" in coloured and coloured != expected


def test_a_cached_listing_does_not_import_the_readers_of_records(git: Git, ask: Ask) -> None:
    """Each of these imports takes as long as the answer."""
    with git.open() as repository:
        Story(repository).note(git.commit({"a.txt": "x"}, "Short"), record("traj_one", prompt="Do it"))
    expected = ask(git.root, ["--file", "a.txt"])
    heavy = [
        *(
            "pygit2",
            "yaml",
            "cryptography",
            "hashlib",
            "logging",
            "concurrent.futures",
            "textwrap",
            "secrets",
        ),
        *("gittraj.model.values", "gittraj.query.records", "gittraj.query.header", "gittraj.notes.store"),
        *("gittraj.index.update", "gittraj.state.cursors", "gittraj.config", "gittraj.cli.common.no_match"),
    ]
    code = (
        "import sys; from gittraj.cli.common.group import call\n"
        "assert call(['log', '--file', 'a.txt']) == 0\n"
        f"print(*[m for m in {heavy} if m in sys.modules], file=sys.stderr)"
    )
    ran = subprocess.run([sys.executable, "-c", code], cwd=git.root, capture_output=True, check=True)
    assert f"0\n{ran.stdout.decode()}" == expected
    assert ran.stderr.split() == []


def test_an_index_has_all_commits_that_a_tip_reaches(history: RandomHistory) -> None:
    with open_repository(history.root) as repository, open_index(repository) as index:
        assert index is not None
        below = index.below("HEAD")
        assert below is not None
        rows = repository.run("rev-list", "--date-order", "--parents", "HEAD").out.decode().splitlines()
        assert [" ".join([commit, *below[commit]]) for commit in below] == rows
        assert len(below) == len(rows)


def test_a_drain_leaves_the_index_warm(history: RandomHistory, answer: Callable[..., str | None]) -> None:
    with open_repository(history.root) as repository:
        keep_index(repository)
    assert any(answer(history.root, "--file", path) for path in history.paths)


def test_a_writer_waits_for_no_reader_not_even_its_own(history: RandomHistory) -> None:
    git_dir = history.root / ".git"
    with open_repository(history.root) as repository:
        keep_index(repository)
    with file.reading(git_dir) as reader:
        with file.writing(git_dir, wait=0) as connection:
            file.write_source(connection, x="y")
        assert "x" not in file.read_source(reader)  # the reader sees one state, whatever is written meanwhile
    with file.reading(git_dir) as reader:
        assert file.read_source(reader)["x"] == "y"
    assert not [path for path in (git_dir / FOLDER).iterdir() if path.suffix == ".new"]


def test_others_read_while_one_writes(history: RandomHistory) -> None:
    git_dir = history.root / ".git"
    with open_repository(history.root) as repository:
        keep_index(repository)
    with file.writing(git_dir) as connection:
        file.write_source(connection, x="y")
        with file.reading(git_dir) as reader:
            assert "x" not in file.read_source(reader)
    with file.reading(git_dir) as reader:
        assert file.read_source(reader)["x"] == "y"


def test_an_error_does_not_count_as_a_reader(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "a.db", isolation_level=None)) as connection:
        connection.set_progress_handler(lambda: 1, 1)
        with pytest.raises(sqlite3.OperationalError):
            file._is_read(connection)


def test_nothing_is_written_without_a_transaction(tmp_path: Path) -> None:
    broken = file.Database("broken.db", 1, "CREATE TABLE meta (name); CREATE nonsense")
    with (
        pytest.raises(file.UnusableError, match="nonsense"),
        file.writing(tmp_path, broken) as connection,
    ):
        connection.execute("INSERT INTO meta VALUES ('x')")


def test_the_copy_that_a_killed_writer_left_is_deleted(history: RandomHistory) -> None:
    git_dir = history.root / ".git"
    with open_repository(history.root) as repository:
        keep_index(repository)
    half = git_dir / FOLDER / f"{LISTINGS.name}.new"
    half.write_bytes(b"half")
    with file.writing(git_dir) as connection:
        file.write_source(connection, x="y")
    assert not half.exists()


@pytest.mark.skipif(os.name == "nt", reason="Windows replaces no file that somebody reads")
def test_an_open_pager_hinders_no_writer(history: RandomHistory) -> None:
    """In ``git traj log | less`` the pipe is full while a person reads."""
    git, git_dir = Git(history.root), history.root / ".git"
    with open_repository(history.root) as repository:
        keep_index(repository)
    read_end, write_end = os.pipe()
    os.set_blocking(write_end, False)
    with suppress(BlockingIOError):
        while True:
            os.write(write_end, b"x")
    os.set_blocking(write_end, True)
    command = [sys.executable, "-m", "gittraj", "log"]
    with (
        subprocess.Popen(command, cwd=git.root, stdout=write_end) as pager,
        os.fdopen(read_end, "rb"),
        os.fdopen(write_end, "wb"),
    ):
        wait_until(lambda: _is_read(git_dir / FOLDER / LISTINGS.name))
        with git.open() as repository:
            Story(repository).note(
                git.commit({"a.txt": "x"}, "Meanwhile"), record("traj_new", prompt="Do it")
            )
        ran = subprocess.run(command, cwd=git.root, capture_output=True, text=True, check=True)
        assert "Meanwhile" in ran.stdout
        with file.reading(git_dir) as connection:
            assert file.read_source(connection)["notes"] == git("rev-parse", "refs/notes/traj")
        with open_repository(git.root) as repository:
            assert [*_check_index(repository)] == []
        assert pager.poll() is None


def _is_read(index: Path) -> bool:
    with closing(sqlite3.connect(index, timeout=0)) as connection:
        try:
            connection.execute("BEGIN EXCLUSIVE")
        except sqlite3.OperationalError:
            return True
        return False


def test_doctor_reports_that_no_index_can_be_kept(history: RandomHistory) -> None:
    (history.root / ".git" / FOLDER).write_text("in the way")
    with open_repository(history.root) as repository:
        assert "no-index" in {finding.code for finding in _check_index(repository)}
    (history.root / ".git" / FOLDER).unlink()
    with open_repository(history.root) as repository:
        assert [*_check_index(repository)] == []


def test_the_index_knows_whether_anything_waits_for_a_drain(git: Git, ask: Ask) -> None:
    state = install(git)
    with git.open() as repository:
        Story(repository).note(git.commit({"a.txt": "x"}, "Short"), record("traj_one", prompt="Do it"))
    ask(git.root, ["--file", "a.txt"])
    ask(git.root, ["--file", "a.txt"])
    assert has_nothing_new(git.root / ".git")
    with (state / "spool").open("a") as spool:
        spool.write("post-commit x\n")
    assert not has_nothing_new(git.root / ".git")
    ask(git.root, ["--file", "a.txt"])
    assert has_nothing_new(git.root / ".git")
    git("worktree", "add", "-q", "--detach", "../other")
    assert not has_nothing_new(git.root / ".git")
