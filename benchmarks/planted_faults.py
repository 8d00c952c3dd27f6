"""``python -m benchmarks.planted_faults [NUMBER …]``: plants one fault after the other in a copy of the tree,
and checks that the tests that should detect it fail. The exit status says whether one survived.

Run it before and after changing tests, to see that they still detect the same faults. If a fault survives,
add a test; do not replace the fault.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
_COPIED = ("gittraj", "github_action", "tests", "hooks", "docs", "templates", "action.yml", "pyproject.toml")
_LINK = "unit/capture/test_link.py"
_ANCHOR = "unit/capture/test_anchor.py"
_CONTENT = "unit/capture/test_content.py integration/test_whose_lines.py"
_OWN = "unit/capture/test_own.py"
_MERGE = "unit/notes/test_merge.py"
_AGE = "unit/seal/age"
_SEAL = "unit/seal/test_seal.py integration/test_sealing.py"
_READERS = "integration/test_recipients.py integration/test_sealing.py"
_ENGINE = "unit/redact/test_engine.py"
_SHARING = "integration/test_sharing.py"
_PURGE = "integration/test_purge.py"


class Fault(NamedTuple):
    """A fault: ``file`` (below ``gittraj``) has ``new`` for its first ``old``, so that ``tests`` (below
    ``tests``) must fail."""

    file: str
    old: str
    new: str
    tests: str


FAULTS = (
    Fault("capture/link.py", "if log is not owning]", "]", _LINK),
    Fault("capture/link.py", "if calls[-1] > self._claimed[log.trajectory]:", "if True:", _LINK),
    Fault("capture/link.py", 'return match.evidence == "agent", match', "return False, match", _LINK),
    Fault("capture/link.py", "return len(named) == 1 and _has_begun", "return False and _has_begun", _LINK),
    Fault("capture/link.py", "_rank(match) == _rank(best)", "False", f"{_LINK} {_ANCHOR}"),
    Fault("capture/anchor.py", "calls.setdefault(short, index)", "calls[short] = index", _ANCHOR),
    Fault("capture/anchor.py", "commit.call is not None and bool(commit.sessions) and", "False and", _ANCHOR),
    Fault("capture/anchor.py", 'and log.places[call] != "elsewhere" and', "and", _ANCHOR),
    Fault("capture/content.py", "session_lines.total() * 2 >=", "session_lines.total() * 20 >=", _CONTENT),
    Fault("capture/content.py", "or w.at <= time + _CLOCK", "or True", _CONTENT),
    Fault("capture/content.py", "if before is not None and writing.call > before:", "if False:", _CONTENT),
    Fault(
        "capture/plausibility.py", "value -= 15 if find_no_commit", "value -= 0 if find_no_commit", _ANCHOR
    ),
    Fault("capture/own.py", " and not any(step.edit for step in steps[waiting:end])", "", _OWN),
    Fault("capture/own.py", "replace(closing[i], commits=closing[i].commits[-1:])", "closing[i]", _OWN),
    Fault(
        "capture/set_back.py", 'again=sub in ("pop", "apply")', "again=False", "unit/capture/test_set_back.py"
    ),
    Fault("capture/commits.py", ' and e.old.strip("0")', "", "unit/capture/test_commits.py"),
    Fault(
        "capture/repo_paths.py", 'places == {"here"}', '"here" in places', "unit/capture/test_repo_paths.py"
    ),
    Fault("notes/merge.py", "stone.rev >= record.rev", "stone.rev > record.rev", _MERGE),
    Fault("notes/merge.py", "if record.rev == winner.rev:", "if True:", _MERGE),
    Fault("notes/merge.py", "record.origin is not None and record.origin.commit == commit", "False", _MERGE),
    Fault("notes/carry.py", ' and record.link.evidence != "content"', "", "unit/notes/test_carry.py"),
    Fault("notes/carry.py", "[tombstone] if", "[] if", "unit/notes/test_carry.py"),
    Fault("notes/tree.py", "elif old and old.is_tree:", "elif False:", "unit/notes/test_tree.py"),
    Fault("notes/join_trees.py", "if old_lines < new_lines:", "if True:", _SHARING),
    Fault("notes/epoch.py", "line.rev >= self.records.get(line.key, 0)", "True", "unit/notes/test_epoch.py"),
    Fault(
        "notes/split_commits.py",
        "known if len(known) == len(listed) else []",
        "known",
        "unit/notes/test_split_commits.py",
    ),
    Fault("seal/age/primitives.py", "bytes([i == last])", "bytes([0])", _AGE),
    Fault("seal/age/primitives.py", "if len(chunks) > 1 and", "if False and", _AGE),
    Fault("seal/age/file.py", "if not hmac.compare_digest", "if False and hmac.compare_digest", _AGE),
    Fault("seal/age/header.py", "if len(parsed) > 1 and any(", "if False and any(", _AGE),
    Fault("seal/seal.py", " or blocks.keys() != set(events)", "", _SEAL),
    Fault("seal/seal.py", "return (length + mask) & ~mask", "return length", _SEAL),
    Fault("seal/events.py", 'content="", raw=None, artifact=None, extra={}', 'content=""', _SEAL),
    Fault("seal/readers.py", "self.team if self.trusted else ()", "self.team", _READERS),
    Fault("seal/readers.py", "trusted=readers.digest in pins or not team", "trusted=True", _READERS),
    Fault("redact/engine.py", "_ROUNDS = 8", "_ROUNDS = 1", _ENGINE),
    Fault(
        "redact/engine.py",
        "_LEARNED_LENGTH, _CERTAIN_LENGTH = 8,",
        "_LEARNED_LENGTH, _CERTAIN_LENGTH = 80,",
        _ENGINE,
    ),
    Fault(
        "redact/engine.py",
        "for value in self._certain}",
        "for value in ()}",
        "unit/redact/test_strict_output.py",
    ),
    Fault(
        "redact/engine.py",
        "if any(start <= span.start and",
        "if False and any(start <= span.start and",
        _ENGINE,
    ),
    Fault("redact/engine.py", "max(last.end, span.end), longer", "last.end, longer", _ENGINE),
    Fault("redact/scan.py", "if now >= self._deadline:", "if False:", _ENGINE),
    Fault("redact/engine.py", "except Exception as error:", "except OSError as error:", _ENGINE),
    Fault("redact/engine.py", "text, name if matters else None, strict", "text, None, strict", _ENGINE),
    Fault(
        "redact/scan.py",
        "yield Span(start, stop, UNSCANNABLE, UNSCANNABLE)",
        "pass",
        "unit/redact/test_pieces.py",
    ),
    Fault("sync/join.py", "if known and not changed:", "if not changed:", _SHARING),
    Fault("sync/join.py", "return not (epoch.segments or epoch.forgotten)", "return True", _PURGE),
    Fault("sync/transfer.py", " if oid not in replaced}", "}", _PURGE),
    Fault("sync/transfer.py", "join_records(repository, known, remote.name)\n\n", "pass\n\n", _SHARING),
    Fault("sync/transfer.py", "if not refused.moved:", "if False:", _SHARING),
    Fault("sync/consent.py", '.trajPush") == _address(remote)', '.trajPush")', _SHARING),
    Fault("sync/traces.py", "        expire_reflog(repository, ref)", "        pass", _PURGE),
    Fault("sync/rescan.py", "    if left:", "    if False:", "integration/test_redact_command.py"),
)


def make_python(copy: Path) -> Path:
    """Make a Python whose processes, including hooks and workers, import git-traj from the copy."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", copy / "venv"], check=True)
    (site,) = (copy / "venv").glob("lib/python*/site-packages")
    (site / "ours.pth").write_text(f"{copy}\n{sysconfig.get_path('purelib')}\n")
    return copy / "venv" / "bin" / "python"


def try_fault(fault: Fault, copy: Path, python: Path) -> str:
    """Return the test that failed because of the fault, or "SURVIVED". Restores the copy."""
    path = copy / "gittraj" / fault.file
    sound = path.read_text(encoding="utf-8")
    if fault.old not in sound:
        return "SURVIVED: the code that it replaces no longer exists"
    path.write_text(sound.replace(fault.old, fault.new, 1), encoding="utf-8")
    try:
        tests = [f"tests/{name}" for name in fault.tests.split()]
        done = subprocess.run(
            [python, "-m", "pytest", "-x", "-q", *tests],
            cwd=copy,
            env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"},
            capture_output=True,
            text=True,
            check=False,
        )
    finally:
        path.write_text(sound, encoding="utf-8")
    named = [line for line in done.stdout.splitlines() if line.startswith(("FAILED", "ERROR"))]
    if done.returncode not in (0, 1):
        return f"SURVIVED: no test ran: {(done.stdout + done.stderr)[-300:]}"
    return f"killed by {named[0].split(' - ')[0]}" if named else "SURVIVED"


def main(numbers: list[int]) -> int:
    """Returns 1 if a fault survived."""
    survived = 0
    with tempfile.TemporaryDirectory(prefix="git-traj-faults-", ignore_cleanup_errors=True) as folder:
        for name in _COPIED:
            source = ROOT / name
            (shutil.copytree if source.is_dir() else shutil.copy)(source, Path(folder) / name)
        python = make_python(Path(folder))
        for number in numbers or range(len(FAULTS)):
            fault, begun = FAULTS[number], time.monotonic()
            found = try_fault(fault, Path(folder), python)
            survived += found.startswith("SURVIVED")
            print(
                f"{number:2} {fault.file}: {fault.new!r}: {found} ({time.monotonic() - begun:.0f} s)",
                flush=True,
            )
    return int(survived > 0)


if __name__ == "__main__":
    sys.exit(main([int(word) for word in sys.argv[1:]]))
