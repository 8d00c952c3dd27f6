"""Other scanners of secrets, each run by its own interface with its own defaults, to compare what they find.

They are searched for on PATH (a script, or a package next to one of its interpreters), and run in separate
processes. A scanner's result is the value that it reports as a secret: a redactor based on it would replace
that value by a placeholder.
"""

from __future__ import annotations

import json
import os
import resource
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

# Does the same as detect-secrets' own command for a folder. Its scan of a single line is useless here: it
# reports every string, to show its entropy.
_DETECT_SECRETS = """
import json, sys
from detect_secrets.core.scan import scan_file
from detect_secrets.settings import default_settings
with default_settings():
    print(json.dumps([
        [found.secret_value for found in scan_file(path)] for path in sys.stdin.read().splitlines()
    ]))
"""
_OURS = """
import json, pathlib, sys
from gittraj.redact import Redactor
print(json.dumps([
    Redactor(key=b"k" * 32, seconds_per_text=60).text(pathlib.Path(path).read_text(encoding="utf-8"))
    for path in sys.stdin.read().splitlines()
]))
"""
_BETTERLEAKS = """
import json, pathlib, sys
from pybetterleaks import scan_text
print(json.dumps([
    [found.secret for found in scan_text(pathlib.Path(path).read_text(), redact=False).findings]
    for path in sys.stdin.read().splitlines()
]))
"""


@dataclass(frozen=True, slots=True)
class Cleaned:
    """The texts without the secrets found in them, and the seconds of processor time of the search."""

    texts: list[str]
    seconds: float


@dataclass(frozen=True, slots=True)
class Scanner:
    """``run`` gets the files of the texts, alone in their folder, and returns the values found in each."""

    name: str
    run: Callable[[list[Path]], list[list[str]]]

    def clean(self, texts: list[str], folder: Path) -> Cleaned:
        files = _files(texts, folder)
        before = _children()
        values = self.run(files)
        return Cleaned(
            [_without(text, each) for text, each in zip(texts, values, strict=True)], _children() - before
        )


class Ourselves(Scanner):
    """Our redactor, in a separate process like the others."""

    def clean(self, texts: list[str], folder: Path) -> Cleaned:
        files = _files(texts, folder)
        before = _children()
        output = _output([sys.executable, "-c", _OURS], "\n".join(map(str, files)))
        return Cleaned(json.loads(output), _children() - before)


def scanners() -> Iterator[Scanner]:
    """Yield git-traj's redactor, and the scanners that are installed."""
    yield Ourselves("git-traj", lambda files: [])
    if python := _interpreter("detect_secrets"):
        yield Scanner("detect-secrets", lambda files: _by_program(python, _DETECT_SECRETS, files))
    if gitleaks := shutil.which("gitleaks"):
        yield Scanner("gitleaks", lambda files: _gitleaks(gitleaks, files))
    if other := _interpreter("pybetterleaks"):
        yield Scanner("betterleaks", lambda files: _by_program(other, _BETTERLEAKS, files))
    if kingfisher := shutil.which("kingfisher"):
        yield Scanner("kingfisher", lambda files: _kingfisher(kingfisher, files))
    if credsweeper := shutil.which("credsweeper"):
        yield Scanner("credsweeper", lambda files: _credsweeper(credsweeper, files))


def _files(texts: list[str], folder: Path) -> list[Path]:
    folder.mkdir(parents=True)
    files = [folder / f"{n}.txt" for n in range(len(texts))]
    for file, text in zip(files, texts, strict=True):
        file.write_text(text, encoding="utf-8", newline="")
    return files


def _without(text: str, values: list[str]) -> str:
    for value in sorted(filter(None, values), key=len, reverse=True):
        text = text.replace(value, "REDACTED")
    return text


def _children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _interpreter(package: str) -> str | None:
    """The Python on PATH that has a package."""
    for folder in os.get_exec_path():
        if any(Path(folder).parent.glob(f"lib/python3*/site-packages/{package}")):
            return str(Path(folder) / "python")
    return None


def _by_program(python: str, program: str, files: list[Path]) -> list[list[str]]:
    found: list[list[str]] = json.loads(_output([python, "-c", program], "\n".join(map(str, files))))
    return found


def _output(command: list[str], given: str = "") -> str:
    return subprocess.run(command, input=given, capture_output=True, text=True, check=True).stdout


def _by_file(files: list[Path], found: Iterator[tuple[str, str]]) -> list[list[str]]:
    values: dict[str, list[str]] = {str(file): [] for file in files}
    for path, value in found:
        values[path].append(value)
    return list(values.values())


def _gitleaks(command: str, files: list[Path]) -> list[list[str]]:
    output = _output(
        [
            command,
            "dir",
            str(files[0].parent),
            "--no-banner",
            "--exit-code=0",
            "--report-format=json",
            "--report-path=-",
        ]
    )
    return _by_file(files, ((one["File"], one["Secret"]) for one in json.loads(output)))


def _kingfisher(command: str, files: list[Path]) -> list[list[str]]:
    options = ["--format=json", "--no-validate", "--confidence=low", "--no-update-check", "--no-dedup"]
    done = subprocess.run(
        [command, "scan", str(files[0].parent), *options], capture_output=True, text=True, check=False
    )  # its status says whether there were findings; what follows the first document is a summary
    found: list[dict[str, Any]] = json.JSONDecoder().raw_decode(done.stdout)[0]["findings"]
    return _by_file(files, ((one["finding"]["path"], one["finding"]["snippet"]) for one in found))


def _credsweeper(command: str, files: list[Path]) -> list[list[str]]:
    report = files[0].parent.with_suffix(".json")
    _output([command, "--path", str(files[0].parent), "--save-json", str(report), "--log", "silence"])
    lines = (line for one in json.loads(report.read_text()) for line in one["line_data_list"])
    return _by_file(files, ((line["path"], line["value"]) for line in lines))
