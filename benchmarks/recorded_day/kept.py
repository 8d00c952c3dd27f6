"""Runs commands after the day, and saves each output, each stored object and the local state."""

from __future__ import annotations

import hashlib
import json
import re
import shlex
import shutil
import sqlite3
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path

from benchmarks.recorded_day.place import BOB, OLDER, PLACE, REPO, SERVER, Day, put

UNORDERED = re.compile(r'(?<="taken":\[)[^]]*')
"""Matches a session's commits in ``cursors.json``: they are in a set's order, and in no stored record."""

JSON = ("log", "show", "status", "why", "search", "stats", "context", "doctor", "pr", "redact", "keys list")
JSON += (
    "recipients list",
    "backfill",
    "repair",
    "push --dry-run",
    "fetch",
    "sync --dry-run",
    "install --dry-run",
)
"""Commands that run again with ``--json``."""

READS = """
log | log -n 5 | log --oneline | log --trajectories | log --all | log --all --trajectories --oneline
log --file src/parser_codex.py | log --file src/queue_moved.py
log --no-follow --file src/queue_moved.py | log main~10..main | log rebased-tip -- src
log --agent claude-code -n 4 | log --agent codex --oneline
log --agent gemini-cli --since 2025-03-14T08:00:00Z | log --model gpt | log --task acme:LOGIN-7
log --tag security | log --author Bob | log --until 2025-03-14T07:00:00Z --oneline | log --grep hits
log --decisions --min-confidence 0.6 | log --max-confidence 0.4 | log --min-cost 0.001 -n 3
show | show amended | show rebased-tip | show picked | show squashed | show reverted | show renamed
show by-hand | show delegated | show leaked | show main~20 --no-fetch | show --format markdown by-hand
show --format timeline leaked | show --format html leaked | show --format html -o @/commit.html squashed
show --events leaked | show --events {claude-code-parser} | show {codex-server} | show {gemini-cli-report}
show {codex-login} --significance high | show {claude-code-parser} --since 2025-03-14T06:20:00Z
show --show-thinking {codex-cache} | show --show-thinking --events delegated
show --show-thinking --identity @/no-such-file leaked | show --file src/leak.py leaked
why src/queue_moved.py:2 | why src/queue_moved.py | why src/parser_claude_code.py:1,3
why --porcelain src/token.py:1 | why --rev squashed src/hits_1.py:2 | why docs/mail.md:1 | why README
search limit | search "token bucket" | search rate OR queue -n 3 | search "\\"a constant rather\\""
search --similar "how do people sign in?" | search --in decision slots
search --in tool --agent codex py_compile | search --file src/leak.py service
search --since 2025-03-14T09:00:00Z --rev main~30..main raised | search --tag security token | search zzzz
context src/queue_moved.py | context src/parser_codex.py src/token.py --budget 400 | context docs
stats | stats --by agent | stats --by model | stats --by author | stats --by path
stats --file src/token.py | stats --since 2025-03-14T08:00:00Z main~30..main
status | doctor | doctor --fix | pr --base main~15 | pr --base main~30 --head main~3 --prompts --no-cost
redact --audit | redact --audit main~10..main | redact --test | redact @/secrets.txt | redact <secrets
redact --jsonl <lines | redact --explain <secrets
keys list | keys export | recipients list | repair --dry-run | backfill --dry-run | push --dry-run
push --dry-run --records-only | sync --dry-run | fetch | install --dry-run
install --dry-run --agent claude-code | export | export --format markdown by-hand
export --format timeline squashed | export --format json leaked | export --format html -o @/page leaked
export --format html --all -o @/site | export --format trajectory by-hand
export --format trajectory-tree --all -o @/tree | export --format trajectory-bundle -o @/bundle main~8..main
export --format atif {claude-code-parser} | export --format atif --all -o @/atif
export --format agent-trace leaked | export --format otel by-hand | export --format otel --all -o @/otel
export --format csv main~20..main | export --format csv --all -o @/csv
export --format openagents --all -o @/openagents.db | export --seal 0123456789abcdef
completion bash | completion zsh | completion fish
--version | -h | show no-such-revision | show traj_zzzz | show amended~200
log no..such | log --since "not a date" | log --min-confidence 3 | log --no-such-option | log -n 0
why src/no_such_file.py:1 | why src/token.py:9999 | why src/token.py:x
search | search --since nonsense limit | search "(unbalanced"
context no/such/file | context src --budget 1 | stats --by nothing | export --format nothing
export no-such-revision | import /no/such/file | link no-such-revision --session none
unlink main traj_zzzz | forget traj_zzzz | carry --from no..such --onto main | complete
decision "nothing is active" | event | abandon | completion csh | redact /no/such/file
recipients add nonsense | keys nothing | pr --base no-such-revision | push no-such-remote
fetch no-such-remote | frobnicate | sho
"""
"""Run in the main repository. In all lists, ``{NAME}`` becomes the id of the session NAME (``{reader}``: a
public key), ``@/`` the folder of files that commands read or write; the text after ``<`` names an input."""

ELSEWHERE = """
log | log --file src/bob_codex.py | show | show --show-thinking | status | doctor | stats
search slots | search --fetch limit
"""
"""Run in every repository, also the other clone and the one with a backfill."""

NOWHERE = """
log | show | status | doctor | why file:1 | search limit | context file | stats | export | pr
redact <secrets | redact --audit | push | install | backfill | keys list | recipients list | start title
"""
"""Run outside of a repository."""

CLOSING = """
log --oneline | install --agent claude-code --agent codex --agent gemini
recipients add {reader} --name reader | recipients list | recipients trust
rewrap | reseal main~5..main | redact --purge --dry-run slots | redact --purge slots
forget {claude-code-mail} --purge | doctor | log | show leaked | log --json | uninstall | uninstall --purge
status
"""
"""Commands that write; the stored objects are saved again after them."""


class Recorder:
    """Runs commands and writes their outputs into numbered files."""

    def __init__(self, day: Day, out: Path, known: Mapping[str, str]) -> None:
        self.day, self.out, self.known = day, out, known
        self.files = PLACE / "files"
        self.files.mkdir()
        self.number = 0
        secret = day.secret("gh" + "p_", 36)
        lines = f"TOKEN={secret}\npassword: {day.secret('', 18)}\nplain text\n"
        put(self.files / "secrets.txt", lines)
        self.inputs = {
            "secrets": lines,
            "lines": "\n".join(json.dumps({"token": line}) for line in lines.split()),
        }

    def run_all(self, lines: str, folder: Path) -> None:
        for line in re.split(r"\n| \| ", lines.strip()):
            self.ask(line, folder)
            if line.startswith(JSON) and not re.search(
                r"--format|--porcelain|--jsonl|--test|--explain", line
            ):
                command, _, source = line.partition(" <")
                self.ask(f"{command} --json" + (f" <{source}" if source else ""), folder)

    def ask(self, line: str, folder: Path) -> None:
        """Run the command in ``line`` in ``folder``, and save its output."""
        command, _, source = line.partition(" <")
        words = [self._fill(word) for word in shlex.split(command)]
        given = self.inputs[source].encode() if source else b""
        self.day.traj(*words, cwd=folder, given=given)
        self.number += 1
        name = re.sub(r"[^\w.]+", "-", line).strip("-")[:60]
        (self.out / f"{self.number:03}-{name}.txt").write_bytes(self.day.outputs[-1])

    def _fill(self, word: str) -> str:
        return re.sub(r"\{([\w-]+)\}", lambda m: self.known[m[1]], word).replace("@/", f"{self.files}/")

    def keep_files(self) -> None:
        """Save the files that commands wrote; a database as the SQL that creates it."""
        for path in sorted(p for p in self.files.rglob("*") if p.is_file()):
            target = self.out / "files" / path.relative_to(self.files)
            target.parent.mkdir(parents=True, exist_ok=True)
            if path.read_bytes().startswith(b"SQLite format 3"):
                with sqlite3.connect(path) as database:
                    target.write_text("\n".join(database.iterdump()))
            else:
                shutil.copyfile(path, target)

    def keep_refs(self, name: str) -> None:
        """Save every blob below refs/notes/traj*, and the commit that each ref points to."""
        for folder in (REPO, BOB, OLDER, SERVER):
            listed = self.day.git(
                "for-each-ref", "--format=%(objectname) %(refname)", "refs/notes/", cwd=folder
            )
            for commit, ref in (line.split() for line in listed.splitlines()):
                place = self.out / "refs" / f"{name}-{folder.name}" / ref.removeprefix("refs/notes/")
                put(
                    place / "COMMIT",
                    f"{commit}\n{self.day.git('log', '--format=%T %at %s', ref, cwd=folder)}\n",
                )
                for path, blob in read_tree(folder, commit):
                    digest = f"sha256 {hashlib.sha256(blob).hexdigest()}\n".encode()
                    target = place / path
                    target.parent.mkdir(parents=True, exist_ok=True)
                    target.write_bytes(digest + blob)

    def keep_state(self) -> None:
        """Save the local state besides the refs: hooks, configuration and JSON files; no keys or locks."""
        for folder in (REPO, BOB, OLDER):
            found = [*(folder / ".git" / "hooks").iterdir(), *(folder / ".git" / "traj").glob("*.json")]
            for path in (*found, folder / ".git" / "config"):
                target = self.out / "state" / folder.name / path.name
                target.parent.mkdir(parents=True, exist_ok=True)
                if path.name == "cursors.json":
                    target.write_text(
                        UNORDERED.sub(lambda m: ",".join(sorted(m[0].split(","))), path.read_text())
                    )
                elif path.suffix != ".sample":
                    shutil.copyfile(path, target)


def read_tree(folder: Path, commit: str) -> Iterator[tuple[str, bytes]]:
    """Yield path and blob of every file of a commit."""
    listed = subprocess.run(
        ["git", "ls-tree", "-r", "-z", "--format=%(objectname) %(path)", commit],
        cwd=folder,
        capture_output=True,
        check=True,
    ).stdout.decode()
    rows = [row.split(" ", 1) for row in listed.rstrip("\0").split("\0") if row]
    wanted = "".join(f"{blob}\n" for blob, _ in rows).encode()
    batch = subprocess.run(
        ["git", "cat-file", "--batch"], cwd=folder, input=wanted, capture_output=True, check=True
    ).stdout
    for _, path in rows:
        head, _, batch = batch.partition(b"\n")
        size = int(head.split()[2])
        yield path, batch[:size]
        batch = batch[size + 1 :]
