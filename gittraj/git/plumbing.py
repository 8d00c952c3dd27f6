"""The object database through git's own commands, for repositories that libgit2 cannot open.

Reads go through one long-lived ``git cat-file --batch``. Writes wait in memory and reach git as one pack in
one ``git unpack-objects``, right before the ref moves: two processes for a batch of any size.
"""

from __future__ import annotations

import re
import subprocess
import weakref
from collections.abc import Callable, Iterable, Iterator
from itertools import islice

from gittraj import limits
from gittraj.errors import GitError, unwritable
from gittraj.git.encoding import ObjectFormat, encode_pack, object_id
from gittraj.git.interface import Objects, is_oid
from gittraj.git.process import Runner

_AHEAD = 100  # names that are sent before the first answer is read; their bytes must fit any pipe's buffer
_STREAMED = ("-c", "core.bigFileThreshold=16m")  # git never loads a larger blob into memory
_PENDING = 32 * 1024 * 1024  # bytes that are buffered at most before they are passed to git


class PlumbingObjects(Objects):
    def __init__(self, runner: Runner, *, object_format: ObjectFormat, identity: Callable[[], str]) -> None:
        super().__init__(object_format=object_format, identity=identity)
        self._runner = runner
        self._contents = _CatFile(runner, "--batch")
        self._headers = _CatFile(runner, "--batch-check")
        self._pending: dict[str, tuple[str, bytes]] = {}
        self._pending_size = 0

    def resolve(self, ref: str) -> str | None:
        self._hand_over()
        if named := self.find(ref):
            return named[0]
        # there is no such ref, or the object that it points to is missing
        parsed = self._runner.run("rev-parse", "--verify", "--quiet", "--end-of-options", ref, check=False)
        return parsed.text.strip() or None if parsed.code == 0 else None

    def find(self, name: str) -> tuple[str, str] | None:
        """Id and kind of the object that a name (as in gitrevisions(7)) refers to; None if there is none."""
        try:
            answer = None if "\n" in name else next(self._contents.ask([name]))
        except GitError:
            return None  # some names make cat-file exit, such as @{u} without an upstream
        return answer[:2] if answer else None

    def kind(self, oid: str) -> str | None:
        if oid in self._pending:
            return self._pending[oid][0]
        header = next(self._headers.ask([oid])) if is_oid(oid) else None
        return header[1] if header else None

    def exists(self, oid: str) -> bool:
        """Whether the object is here. Reads its content, because that saves a process, and commits and trees
        are small."""
        return oid in self._pending or (is_oid(oid) and self.find(oid) is not None)

    def read(self, oid: str, limit: int = limits.OBJECT) -> tuple[str, bytes] | None:
        if oid in self._pending:
            return self._pending[oid]
        answer = next(self._contents.ask([oid], limit)) if is_oid(oid) else None
        return answer[1:] if answer else None

    def read_blobs(self, oids: Iterable[str], limit: int = limits.OBJECT) -> Iterator[bytes | None]:
        self._hand_over()
        for answer in self._contents.ask(oids, limit):
            yield answer[2] if answer and answer[1] == "blob" else None

    def fits(self, oid: str, limit: int) -> bool:
        if oid in self._pending:
            return len(self._pending[oid][1]) <= limit
        answer = next(self._headers.ask([oid])) if is_oid(oid) else None
        return answer is None or int(answer[2]) <= limit

    def write(self, kind: str, data: bytes) -> str:
        oid = object_id(kind, data, self.object_format)
        if oid not in self._pending:
            self._pending[oid] = (kind, data)
            self._pending_size += len(data)
            if self._pending_size > _PENDING:
                self._hand_over()
        return oid

    def flush(self) -> None:
        self._hand_over()

    def swap_ref(self, ref: str, *, new: str, old: str | None, message: str) -> bool:
        self._hand_over()
        expected = old or "0" * len(new)
        return self._runner.run("update-ref", "-m", message, ref, new, expected, check=False).code == 0

    def close(self) -> None:
        self._contents.close()
        self._headers.close()

    def _hand_over(self) -> None:
        if not self._pending:
            return
        pack = encode_pack(self._pending.values(), self.object_format)
        self._pending.clear()  # also if git fails: a later read must not fail because of that
        self._pending_size = 0
        done = self._runner.run("unpack-objects", "-q", input=pack, check=False)
        if done.code != 0:
            raise unwritable(self._runner.cwd, done.complaint)


_Answer = tuple[str, str, bytes]
"""An object's id, kind and content; with ``--batch-check`` its size instead of the content."""
_HEADER = re.compile(rb"([0-9a-f]{40,64}) (commit|tree|blob|tag) (\d+)\n")


class _CatFile:
    """One ``git cat-file --batch`` (or ``--batch-check``), started when it is first used."""

    def __init__(self, runner: Runner, mode: str) -> None:
        self._runner = runner
        self._mode = mode
        self._process: subprocess.Popen[bytes] | None = None
        self._finalizer: weakref.finalize[..., _CatFile] | None = None

    def ask(self, names: Iterable[str], limit: int = limits.OBJECT) -> Iterator[_Answer | None]:
        """Yield the object of each name, in order; None for an object that is missing or has more than
        ``limit`` bytes. A name must not have a line break. All answers to the names that were sent are always
        read, so that an iteration that stops early does not leave an answer for the next call."""
        remaining = iter(names)
        while chunk := list(islice(remaining, _AHEAD)):
            while chunk:
                answers = self._answers(chunk, limit)
                yield from answers
                chunk = chunk[len(answers) :]

    def close(self) -> None:
        if self._finalizer is not None:
            self._finalizer()
        self._process = self._finalizer = None

    def _answers(self, chunk: list[str], limit: int) -> list[_Answer | None]:
        """Read the objects of the names in ``chunk``, up to and including the first that is damaged (git
        exits there) or too large; that object counts as missing."""
        process = self._running()
        answers: list[_Answer | None] = []
        assert process.stdin is not None  # noqa: S101 - tells the type checker what PIPE means
        try:
            process.stdin.write("".join(f"{name}\n" for name in chunk).encode("utf-8", "surrogateescape"))
            process.stdin.flush()
            for _ in chunk:
                answers.append(self._answer(process, limit))
            return answers
        except EOFError:
            self.close()
            return [*answers, None]
        except (OSError, ValueError) as error:
            self.close()
            raise GitError(f"git cat-file ended early: {error}") from error

    def _answer(self, process: subprocess.Popen[bytes], limit: int) -> _Answer | None:
        assert process.stdout is not None  # noqa: S101
        line = process.stdout.readline()
        if not line:
            raise OSError("no answer")
        header = _HEADER.fullmatch(line)
        if header is None:  # "<name> missing", "<name> ambiguous"
            return None
        oid, kind, size = header[1].decode(), header[2].decode(), int(header[3])
        if self._mode != "--batch":
            return oid, kind, header[3]
        if size > limit:
            raise EOFError  # as for a damaged one: the process is ended, and a new one reads the next object
        data = process.stdout.read(size + 1)
        if len(data) != size + 1:
            raise EOFError
        return oid, kind, data[:-1]

    def _running(self) -> subprocess.Popen[bytes]:
        if self._process is None or self._process.poll() is not None:
            self.close()
            self._process = self._runner.start(*_STREAMED, "cat-file", self._mode, stdin=True)
            self._finalizer = weakref.finalize(self, _end, self._process)
        return self._process


def _end(process: subprocess.Popen[bytes]) -> None:
    for pipe in (process.stdin, process.stdout):
        if pipe is not None:
            try:
                pipe.close()  # the end of its input ends cat-file
            except OSError:
                pass
    process.wait()
