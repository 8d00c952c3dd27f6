"""Makes a big repository with records; the same arguments always make the same repository.

``python -m benchmarks.make_repo --out DIR --commits 100000 --files 5000 --records 50000 --seed 7`` (with
``--text MB`` of events). Commits, notes and data refs are written by ``git fast-import``; the contents of the
notes and segments are encoded by git-traj's own codec.
"""

from __future__ import annotations

import argparse
import hashlib
import random
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import BinaryIO

from gittraj.model.codec import encode_note, encode_segments, segment_path
from gittraj.model.values import (
    AnyEvent,
    Counts,
    Decision,
    FileChanged,
    Link,
    Message,
    Origin,
    PartSummary,
    Prompt,
    Range,
    Record,
    SegmentRef,
    SessionInfo,
    Summary,
    ToolCall,
    ToolResult,
    Usage,
)

START = 1_600_000_000
STEP = 1_800  # seconds from one commit to the next
_SESSION = 8  # commits per trajectory, on average
_MERGE_EVERY, _RENAME_EVERY = 40, 50
_WORDS = str.split(
    "parse index token bucket retry cache window limit request handler record commit branch merge path "
    "rename test fixture schema query column row stream buffer encode decode signal timeout worker queue "
    "session agent model prompt reason decision because instead should never always before after until while "
    "the a of in on with without each every some first last new old same other"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Size:
    """The size of the repository; ``text`` is the size of its events, in bytes."""

    commits: int
    files: int
    records: int
    text: int = 0
    seed: int = 7


@dataclass(slots=True)
class _History:
    """The current paths of the files, and the files that each commit so far has changed."""

    files: list[str]
    changed: list[list[str]] = field(default_factory=list)


def make_repo(out: Path, size: Size) -> None:
    """Make the repository at ``out``; its files are not checked out."""
    rng = random.Random(size.seed)
    subprocess.run(["git", "init", "-q", "-b", "main", str(out)], check=True)
    made = _import(out, lambda stream: _write_commits(stream, size, rng))
    ids = _read_marks(out)
    recorded = sorted(rng.sample(range(size.commits), min(size.records, size.commits)))
    _import(out, lambda stream: _write_notes(stream, size, recorded, ids, made, rng))


def _import(out: Path, write: object) -> _History:
    command = ["git", "fast-import", "--quiet", "--force", f"--export-marks={out / '.git' / 'marks'}"]
    with subprocess.Popen(command, cwd=out, stdin=subprocess.PIPE) as process:
        assert process.stdin is not None
        made: _History = write(process.stdin)  # type: ignore[operator]
    if process.returncode:
        raise SystemExit(f"git fast-import ended with {process.returncode}")
    return made


def _read_marks(out: Path) -> list[str]:
    marks = out / ".git" / "marks"
    pairs = (line.split() for line in marks.read_text().splitlines())
    found = {int(mark[1:]): oid for mark, oid in pairs}
    marks.unlink()
    return [found[number] for number in sorted(found)]


# ---------------------------------------------------------------- history


def _write_commits(stream: BinaryIO, size: Size, rng: random.Random) -> _History:
    """Write one line of commits, with short branches merged into it, and occasional renames."""
    made = _History([f"src/pkg{n % 97:02d}/mod{n % 11}/file{n:05d}.py" for n in range(size.files)])
    tip = 0  # a mark: the number of the commit, from 1
    while len(made.changed) < size.commits:
        number = len(made.changed)
        if number > 10 and number % _MERGE_EVERY == 0 and size.commits - number > 4:
            side = tip - rng.randrange(1, 4)
            for _ in range(2):
                side = _write_commit(stream, made, size, rng, [side], "refs/heads/side")
            tip = _write_commit(stream, made, size, rng, [tip, side], "refs/heads/main")
        else:
            tip = _write_commit(stream, made, size, rng, [tip] if tip else [], "refs/heads/main")
    stream.write(b"reset refs/heads/side\nfrom 0000000000000000000000000000000000000000\n\n")
    return made


def _write_commit(
    stream: BinaryIO, made: _History, size: Size, rng: random.Random, parents: Sequence[int], ref: str
) -> int:
    number = len(made.changed)
    mark = number + 1
    # a few files change often: the cube of a uniform distribution
    picked = {made.files[int(size.files * rng.random() ** 3)] for _ in range(rng.randrange(1, 5))}
    changes = [_change(path, _source(rng, number)) for path in sorted(picked)]
    touched = sorted(picked)
    if number % _RENAME_EVERY == 7 and len(parents) == 1 and ref.endswith("main"):
        at = rng.randrange(size.files)
        old, new = made.files[at], f"src/pkg{rng.randrange(97):02d}/moved/file{at:05d}_{number}.py"
        if old not in picked:
            changes.append(b"R %s %s\n" % (old.encode(), new.encode()))
            made.files[at] = new
            touched += [new]
    when = f"{START + STEP * number} +0000"
    subject = f"{_sentence(rng, 6).capitalize()} (#{number})"
    stream.write(f"commit {ref}\nmark :{mark}\n".encode())
    stream.write(f"author A U Thor {number % 7} <author{number % 7}@example.com> {when}\n".encode())
    stream.write(f"committer C O Mitter <committer@example.com> {when}\n".encode())
    stream.write(_data(subject.encode()))
    for word, parent in zip(("from", "merge"), parents, strict=False):
        stream.write(f"{word} :{parent}\n".encode())
    if not parents:
        changes = [_change(path, _source(rng, 0)) for path in made.files]
    stream.writelines(changes)
    stream.write(b"\n")
    made.changed.append(touched)
    return mark


def _change(path: str, content: bytes) -> bytes:
    return b"M 644 inline %s\n" % path.encode() + _data(content)


def _source(rng: random.Random, number: int) -> bytes:
    lines = [f"line {n} of {rng.randrange(1_000_000)}" for n in range(6)]
    return f"{chr(10).join(lines)}\nversion = {number}\n".encode()


def _data(body: bytes) -> bytes:
    return b"data %d\n%s\n" % (len(body), body)


def _sentence(rng: random.Random, words: int) -> str:
    return " ".join(rng.choices(_WORDS, k=words))


# ---------------------------------------------------------------- records


def _write_notes(
    stream: BinaryIO,
    size: Size,
    recorded: Sequence[int],
    ids: Sequence[str],
    made: _History,
    rng: random.Random,
) -> _History:
    """Write all notes in one commit, and the segments of each month in another."""
    notes: dict[str, bytes] = {}
    months: dict[str, dict[str, bytes]] = {}
    share = size.text // max(len(recorded), 1)
    session, position, left = "", 0, 0
    for number in recorded:
        if not left:
            session, position, left = f"{rng.getrandbits(64):016x}", 0, rng.randrange(1, 2 * _SESSION)
        left -= 1
        month = datetime.fromtimestamp(START + STEP * number, UTC).strftime("%Y-%m")
        events = list(_events(rng, number, position, share)) if share else []
        trajectory = f"traj_{session}"
        segments = []
        for name, body in encode_segments((position + i, event) for i, event in enumerate(events)):
            digest = hashlib.sha256(body).hexdigest()
            segments.append(SegmentRef(name=name, month=month, bytes=len(body), sha256=digest))
            months.setdefault(month, {})[segment_path(trajectory, name)] = body
        count = max(len(events), 12)
        record = _record(rng, trajectory, session, number, position, count, ids[number], made.changed[number])
        notes[ids[number]] = encode_note([replace(record, segments=tuple(segments))])
        position += count
    paths = {f"{commit[:2]}/{commit[2:]}": body for commit, body in notes.items()}
    _write_tree(stream, "refs/notes/traj", paths)
    for month, files in sorted(months.items()):
        _write_tree(stream, f"refs/notes/traj-data-{month}", files)
    return made


def _write_tree(stream: BinaryIO, ref: str, files: dict[str, bytes]) -> None:
    stream.write(f"commit {ref}\ncommitter git-traj <git-traj@localhost> {START} +0000\n".encode())
    stream.write(_data(b"git-traj: record"))
    for path, body in sorted(files.items()):
        stream.write(_change(path, body))
    stream.write(b"\n")


def _record(
    rng: random.Random,
    trajectory: str,
    session: str,
    number: int,
    position: int,
    count: int,
    commit: str,
    changed: Sequence[str],
) -> Record:
    began = datetime.fromtimestamp(START + STEP * number - 600, UTC)
    ended = datetime.fromtimestamp(START + STEP * number, UTC)
    decisions = tuple(
        Decision(
            question=_sentence(rng, 8),
            chosen=_sentence(rng, 6),
            alternatives=(_sentence(rng, 5), _sentence(rng, 5)),
            reasoning=_sentence(rng, 20),
            by="agent",
            confidence=rng.randrange(40, 100) / 100,
        )
        for _ in range(rng.randrange(3))
    )
    summary = PartSummary(
        prompt=_sentence(rng, rng.randrange(10, 60)),
        summary=Summary(text=_sentence(rng, rng.randrange(10, 40)), by="agent"),
        started_at=began.isoformat(),
        ended_at=ended.isoformat(),
        usage=Usage(input_tokens=rng.randrange(9000), output_tokens=rng.randrange(3000)),
        cost_usd=rng.randrange(200) / 100,
        cost_source="reported",
        counts=Counts(prompts=1, messages=3, tool_calls=5, api_calls=6),
        decisions=decisions,
        files=tuple(FileChanged(path=path, edits=1, lines=3) for path in changed),
    )
    return Record(
        id=trajectory,
        link=Link(evidence="agent", call=f"call_{position}"),
        range=Range(first=f"e{position}", last=f"e{position + count - 1}", n=count, at=position),
        origin=Origin(commit=commit),
        figures=summary,
        whole=SessionInfo(
            agent=("claude-code", "codex", "gemini")[number % 3],
            models=("claude-sonnet-4-5",),
            session=session,
            title=_sentence(rng, 6),
        ),
    )


def _events(rng: random.Random, number: int, position: int, size: int) -> Iterator[AnyEvent]:
    """Yield about ``size`` bytes of a session: a prompt, then messages, calls and results."""
    left = size
    at = position
    stamp = datetime.fromtimestamp(START + STEP * number, UTC).isoformat()
    yield Prompt(id=f"e{at}", ts=stamp, content=_sentence(rng, 30))
    while left > 0:
        said, did, saw = _sentence(rng, 40), _sentence(rng, 8), _sentence(rng, 60)
        yield Message(id=f"e{at + 1}", ts=stamp, content=said)
        yield ToolCall(
            id=f"e{at + 2}", ts=stamp, name="Bash", arguments={"command": did}, call_id=f"call_{at + 2}"
        )
        yield ToolResult(id=f"e{at + 3}", ts=stamp, content=saw, call_id=f"call_{at + 2}")
        at += 3
        left -= len(said) + len(did) + len(saw) + 350


def main() -> None:
    parser = argparse.ArgumentParser(description="Make a big repository with records.")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--commits", type=int, default=100_000)
    parser.add_argument("--files", type=int, default=5_000)
    parser.add_argument("--records", type=int, default=50_000)
    parser.add_argument("--text", type=int, default=100, help="megabytes of events")
    parser.add_argument("--seed", type=int, default=7)
    given = parser.parse_args()
    text = given.text * 1_000_000
    size = Size(commits=given.commits, files=given.files, records=given.records, text=text, seed=given.seed)
    make_repo(given.out, size)


if __name__ == "__main__":
    main()
