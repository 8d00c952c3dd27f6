"""Runs a scripted day of agents and people and saves all output of git-traj, or compares two such runs."""

from __future__ import annotations

import argparse
import difflib
import fcntl
import shutil
import sys
from pathlib import Path

from benchmarks.recorded_day.day import run_day
from benchmarks.recorded_day.kept import CLOSING, ELSEWHERE, NOWHERE, READS, Recorder
from benchmarks.recorded_day.place import BARE, BOB, OLDER, PLACE, PYTHON, REPO, Day, build_place


def record(checkout: Path, python: Path, out: Path) -> None:
    if out.exists() and any(out.iterdir()):
        raise SystemExit(f"{out} is not empty")
    out.mkdir(parents=True, exist_ok=True)
    with PLACE.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # all runs use the same folder
        build_place(checkout, python.absolute())
        day = Day()
        sessions = run_day(day)
        known = {name: session.trajectory for name, session in sessions.items()}
        known["reader"] = new_reader(day)
        recorder = Recorder(day, out, known)
        (out / "000-day.txt").write_bytes(b"\n".join(day.outputs))
        recorder.keep_refs("before")
        recorder.run_all(READS, REPO)
        shutil.rmtree(REPO / ".git" / "traj-index", ignore_errors=True)
        for folder in (REPO, BOB, OLDER):  # REPO's index is built again
            recorder.run_all(ELSEWHERE, folder)
        recorder.run_all(NOWHERE, BARE)
        recorder.keep_state()
        recorder.run_all(CLOSING, REPO)
        recorder.keep_refs("after")
        recorder.keep_files()
    print(f"{out}: {count(out)}")


def new_reader(day: Day) -> str:
    """Make a key for another person and return its public part."""
    home = {"HOME": str(PLACE / "reader")}
    (PLACE / "reader").mkdir()
    command = (str(PYTHON), "-P", "-m", "gittraj", "keys")
    day.run(*command, "init", cwd=BARE, env=home)
    return day.run(*command, "export", cwd=BARE, env=home).stdout.decode().split()[0]


def compare(one: Path, other: Path) -> int:
    """Print the differences; returns the exit status."""
    names = sorted(
        {p.relative_to(folder) for folder in (one, other) for p in folder.rglob("*") if p.is_file()}
    )
    differ = 0
    for name in names:
        texts = [read(folder / name) for folder in (one, other)]
        if texts[0] == texts[1]:
            continue
        differ += 1
        if None in texts:
            print(f"only in {one if texts[0] is not None else other}: {name}")
            continue
        lines = [(text or "").replace(', "', ',\n"').replace(',"', ',\n"').split("\n") for text in texts]
        diff = [*difflib.unified_diff(*lines, f"{one / name}", f"{other / name}", lineterm="", n=1)]
        print("\n".join([*diff[:20], *(["..."] if len(diff) > 20 else [])]))
    if differ or not names:
        print(f"{differ} of {len(names)} files differ")
        return 1
    print(f"equal: {count(one)}")
    return 0


def read(path: Path) -> str | None:
    return path.read_text("utf-8", "backslashreplace") if path.exists() else None


def count(out: Path) -> str:
    outputs = sum(1 for kind in ("*.txt", "files/**/*", "state/**/*") for p in out.glob(kind) if p.is_file())
    objects = sum(1 for p in (out / "refs").rglob("*") if p.is_file() and p.name != "COMMIT")
    return f"{outputs} outputs, {objects} stored objects"


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    commands = parser.add_subparsers(dest="command", required=True)
    recording = commands.add_parser("record", help="run the day and save its output and stored objects")
    recording.add_argument("--checkout", type=Path, required=True, metavar="DIR", help="the code to run")
    recording.add_argument(
        "--python", type=Path, required=True, metavar="PY", help="Python that has the checkout's dependencies"
    )
    recording.add_argument("--out", type=Path, required=True, metavar="FOLDER", help="new or empty")
    comparing = commands.add_parser("compare", help="compare two recorded days; exits with 1 if they differ")
    comparing.add_argument("folders", type=Path, nargs=2, metavar="FOLDER")
    given = parser.parse_args()
    if given.command == "compare":
        return compare(*given.folders)
    record(given.checkout, given.python, given.out)
    return 0


if __name__ == "__main__":
    sys.exit(main())
