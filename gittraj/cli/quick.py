"""`git traj log` and `log --file PATH` into a pipe, answered from the index before click is imported.

The same text as the command's own, or no answer: whatever is unusual (options, terminals, configuration, news
to be drained, an index that is behind) is left to the command. It must import next to nothing: see
``gittraj.index.fast_open``.
"""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable, Iterator, Sequence
    from typing import Any

_UNUSUAL = frozenset("*?[:\\\n\t")
_COLUMNS = 80
"""As ``gittraj.cli.output.PIPE``."""
_FIXED = {
    "LC_ALL": "C",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_NO_LAZY_FETCH": "1",
}
"""As ``gittraj.git.process``."""
ASTRAY = frozenset(
    (
        *("GIT_DIR", "GIT_WORK_TREE", "GIT_IMPLICIT_WORK_TREE", "GIT_COMMON_DIR", "GIT_PREFIX"),
        *("GIT_INTERNAL_SUPER_PREFIX", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY"),
        *("GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_GRAFT_FILE", "GIT_SHALLOW_FILE", "GIT_REPLACE_REF_BASE"),
        *("GIT_NO_REPLACE_OBJECTS", "GIT_CONFIG", "GIT_CONFIG_PARAMETERS", "GIT_CONFIG_COUNT"),
        *("GIT_EXTERNAL_DIFF", "GIT_DIFF_OPTS", "GIT_ATTR_SOURCE", "GIT_NOTES_REF"),
        *("GIT_LITERAL_PATHSPECS", "GIT_GLOB_PATHSPECS", "GIT_NOGLOB_PATHSPECS", "GIT_ICASE_PATHSPECS"),
        *("GIT_QUARANTINE_PATH", "GIT_REFLOG_ACTION", "GIT_PAGER_IN_USE"),
    )
)
"""Variables that lead git elsewhere, as ``git.process`` knows them, or say that somebody is looking."""


def answer(arguments: Sequence[str]) -> int | None:
    """The status, or None where nothing was said and the command is to be asked."""
    if arguments[:1] != ["log"] or (asked := _parse(arguments[1:])) is None:
        return None
    path, limit, oneline = asked
    return answer_log(path, limit, oneline=oneline)


def answer_log(path: str | None, limit: int | None, *, oneline: bool) -> int | None:
    """The same, its arguments read; without a path: all commits."""
    if not hasattr(os, "posix_spawnp"):  # Windows has none
        return None
    if sys.stdout.isatty() or (sys.stdout.encoding or "").lower() != "utf-8":
        return None
    if not (_UNUSUAL.isdisjoint(path or "") and ASTRAY.isdisjoint(os.environ)):
        return None
    try:
        asked = _ask_git()
        from gittraj.query.log.description import DESCRIBE

        describing = spawn(*DESCRIBE)  # git is there when it is known what it is to describe
    except (AttributeError, OSError):  # Windows has no posix_spawn
        return None
    rows = _find(asked, path, limit, oneline=oneline)
    if not rows:
        _abandon(*describing)
        return None
    return _write(rows, describing, oneline=oneline)


def _find(
    asked: tuple[tuple[int, int], tuple[int, int]], path: str | None, limit: int | None, *, oneline: bool
) -> list[tuple[str, str]]:
    """Commits and what is said of them; empty where that is the command's to tell."""
    try:
        sqlite = _load()  # while git answers
        found = _read_git(*asked)
    except (OSError, ValueError):
        return []
    if sqlite is None or found is None:
        return []
    try:
        common_dir, top, head, notes = found
        place = None if path is None else _place(path, top)
        if path is not None and place is None:
            return []
        return _read(sqlite, common_dir, (head, notes), place, limit=limit, oneline=oneline)
    except (OSError, ValueError, TypeError, LookupError, sqlite.Error):
        return []


def _load() -> Any:
    """SQLite, and what else is needed now; None where there is none."""
    try:
        import _sqlite3

        import gittraj.index.history
        import gittraj.index.is_current  # noqa: F401
    except ImportError:
        return None
    return _sqlite3


def _parse(arguments: Sequence[str]) -> tuple[str | None, int | None, bool] | None:
    """Perhaps one path, perhaps ``-n N``, perhaps ``--oneline``."""
    paths, limit, oneline = list[str](), None, False
    words = iter(arguments)
    for word in words:
        if word == "--oneline":
            oneline = True
        elif word == "--file":
            paths.append(next(words, ""))
        elif word.startswith("--file="):
            paths.append(word[7:])
        elif word == "-n":
            number = next(words, "")
            if not (number.isascii() and number.isdigit() and int(number)):
                return None
            limit = int(number)
        elif word == "--":
            paths += words
        else:
            return None
    if len(paths) > 1 or "" in paths:
        return None
    return (paths[0] if paths else None), limit, oneline


# ---------------------------------------------------------------- git


def _ask_git() -> tuple[tuple[int, int], tuple[int, int]]:
    """Begin to ask for what ``_read_git`` gives."""
    colours = start("config", "-z", "--get-regexp", r"^color\.(traj|ui)$")
    places = start(
        *("rev-parse", "--path-format=absolute", "--git-common-dir", "--show-toplevel"),
        *("HEAD^{commit}", "refs/notes/traj"),
    )
    return places, colours


def _read_git(places: tuple[int, int], colours: tuple[int, int]) -> tuple[str, str, str, str] | None:
    """The common directory, the top of the work tree, HEAD's commit and the notes' tip."""
    told, code = finish(*places)
    always, _ = finish(*colours)
    lines = told.decode("utf-8", "surrogateescape").split("\n")
    if code or len(lines) != 5 or b"always" in always.lower():
        return None
    return lines[0], lines[1], lines[2], lines[3]


def start(*arguments: str) -> tuple[int, int]:
    """A git process that is given nothing, and its output."""
    process, output, ours = spawn(*arguments)
    os.close(ours)
    return process, output


def spawn(*arguments: str) -> tuple[int, int, int]:
    """A git process, its output and its input."""
    output, theirs = os.pipe()
    source, ours = os.pipe()
    try:
        actions = [
            (os.POSIX_SPAWN_DUP2, source, 0),
            (os.POSIX_SPAWN_DUP2, theirs, 1),
            (os.POSIX_SPAWN_OPEN, 2, os.devnull, os.O_WRONLY, 0),
        ]
        command = ["git", "--no-pager", "-c", "color.ui=false", "-c", "core.quotePath=false", *arguments]
        if arguments[0] == "config":
            command = ["git", *arguments]
        process = os.posix_spawnp("git", command, {**os.environ, **_FIXED}, file_actions=actions)
    finally:
        os.close(theirs)
        os.close(source)
    return process, output, ours


def _abandon(process: int, output: int, ours: int) -> None:
    os.kill(process, 9)
    os.waitpid(process, 0)
    os.close(output)
    os.close(ours)


def finish(process: int, output: int) -> tuple[bytes, int]:
    """All that it says, and its status."""
    with open(output, "rb") as stream:
        told = stream.read()
    return told, os.waitpid(process, 0)[1]


def _place(path: str, top: str) -> str | None:
    """The path from the top, as ``git.from_top`` reads it; None where that takes thought."""
    place = os.path.normpath(os.path.join(os.path.realpath("."), path))  # noqa: PTH118
    folder = os.path.dirname(place)  # noqa: PTH120
    if os.path.realpath(folder) != folder or not place.startswith(f"{os.path.realpath(top)}/"):
        return None
    return place[len(os.path.realpath(top)) + 1 :]


# ---------------------------------------------------------------- the index


def _read(
    sqlite: Any,
    common_dir: str,
    tips: tuple[str, str],
    place: str | None,
    *,
    limit: int | None,
    oneline: bool,
) -> list[tuple[str, str]]:
    """Commits and what is said below (or after) their titles; empty where the index cannot say."""
    from gittraj.index import fast_open, history
    from gittraj.index.is_current import is_quiet

    head, notes = tips
    folder = f"{common_dir}/{fast_open.FOLDER}"
    address = fast_open.uri(f"{folder}/{fast_open.NAME}", "ro")
    connection: sqlite3.Connection = sqlite.connect(address, uri=True, timeout=0.2, isolation_level=None)
    try:
        if not fast_open.hold(connection, folder):
            return []
        source = dict(connection.execute("SELECT name, value FROM meta"))
        tip = history.read_tip(connection, head)
        if (
            source.get("notes") != notes
            or source.get("told_by") != fast_open.told_by()
            or source.get("edges") != fast_open.read_edges(common_dir)
            or not is_quiet(source.get("quiet", ""), common_dir)
            or tip is None
        ):
            return []
        if place is None:
            numbers: Iterable[int] = map(tip.numbers.__getitem__, range(len(tip.numbers) - 1, 0, -1))
        else:
            touched = history.following(connection, tip, [place])
            numbers = (touched[height] for height in sorted(touched, reverse=True))
        return list(_told(connection, numbers, limit, oneline=oneline))
    finally:
        connection.close()


def _told(
    connection: sqlite3.Connection, numbers: Iterable[int], limit: int | None, *, oneline: bool
) -> Iterator[tuple[str, str]]:
    """The commits of ``numbers``, in their order.

    Raises LookupError for one of which the index does not know what is to be said.
    """
    question = (
        f"SELECT oid, headers.oid, {'small' if oneline else 'page'}"  # noqa: S608 - two words
        " FROM commits JOIN notes USING (oid) LEFT JOIN headers USING (oid) WHERE n = ?"
    )
    told = 0
    for number in numbers:
        row = connection.execute(question, (number,)).fetchone()
        if row is None:
            continue
        if row[1] is None:
            raise LookupError
        if row[2]:
            yield row[0].hex(), row[2]
            told += 1
            if told == limit:
                return


# ---------------------------------------------------------------- the page


def _write(rows: list[tuple[str, str]], describing: tuple[int, int, int], *, oneline: bool) -> int:
    """``describing``: the git that describes the first of them."""
    from gittraj.query.log.description import BATCH, DESCRIBE, FIELDS

    try:
        for at in range(0, len(rows), BATCH):
            some = rows[at : at + BATCH]
            process, output, ours = spawn(*DESCRIBE) if at else describing
            os.write(ours, "".join(f"{commit}\n" for commit, _ in some).encode())  # fits into a pipe
            os.close(ours)
            import gittraj.render.text.title  # noqa: F401 - while git answers
            from gittraj.model.times import now

            moment = now()
            told, _ = finish(process, output)
            words = told.decode("utf-8", "replace").split("\0")
            for number, (_, said) in enumerate(some):
                _, short, subject, author, _, date = words[number * FIELDS : (number + 1) * FIELDS]
                if oneline:
                    sys.stdout.write(f"{short} {_line(subject)}  {said}".rstrip() + "\n")
                else:
                    title = _title(short, subject, author, date, moment)
                    sys.stdout.write("\n" * bool(at + number) + title + said)
        sys.stdout.flush()
    except BrokenPipeError:  # the reader has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 0


def _title(short: str, subject: str, author: str, date: str, now: object) -> str:
    """As ``render.text.render_title``."""
    from gittraj.render.text.title import ago, lay_out

    text, who = _line(subject), _line(author)
    about = f"{ago(date, now)} by {who}".strip()  # type: ignore[arg-type]
    start = len(short) + 1
    if not (text.isascii() and who.isascii() and text and start + len(text) <= _COLUMNS):
        from gittraj.render.text.wrapping import width, wrap

        rows = wrap(text, _COLUMNS - start) or [""]
        text = ("\n" + " " * start).join(rows)
        sizes = width(rows[-1]), width(about)
    else:
        sizes = len(text), len(about)
    return lay_out(short, (text, sizes[0]), (about, sizes[1]), at=start, columns=_COLUMNS)


def _line(text: str) -> str:
    """As ``render.wrapping.escape_line``, which knows more signs."""
    if text.isascii() and text.isprintable():
        return " ".join(text.split())
    from gittraj.render.text.wrapping import escape_line

    return escape_line(text)
