"""Records what git-traj does with a fixed day of work, so that two versions can be compared byte by byte.

    python benchmarks/recorded_day.py record --checkout DIR --python PY --out FOLDER
    python benchmarks/recorded_day.py compare A B

``record`` plays agents and people who make a hundred commits, then asks every command that reads, and keeps
what each said and all that is stored. The code of DIR runs with the packages of PY, in processes of its own:
nothing of git-traj or of its tests is imported here.

Paths are always the same, git is told its dates, and Python's clock and ``os.urandom`` are replaced before
git-traj starts, also in its hooks (see ``SITE``). So two runs of one version are equal, with recording times,
random ids, keys and seals, and next to nothing is normalised (see ``UNORDERED``).
"""

from __future__ import annotations

import argparse
import base64
import difflib
import fcntl
import hashlib
import json
import os
import random
import re
import shlex
import shutil
import sqlite3
import string
import subprocess
import sys
import uuid
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

Json = dict[str, Any]
PLACE = Path("/tmp/recorded-day")
HOME, REPO, BOB, OLDER, SERVER, BARE = (
    PLACE / name for name in ("home", "repo", "bob", "older", "server.git", "nowhere")
)
PYTHON = PLACE / "venv" / "bin" / "python"
DAWN = datetime(2025, 3, 14, 6, tzinfo=UTC).timestamp()
TICK = 60
TOPICS = ("parser", "cache", "server", "search", "report", "queue", "login", "mail", "export", "clock")
COMMITS = 100
UNORDERED = re.compile(r'(?<="taken":\[)[^]]*')
"""Of ``cursors.json``: a session's commits, in the order of a set. No stored record has it."""

SITE = f'''"""A clock that stands where RECORDED_NOW says, and entropy drawn from RECORDED_STEP."""
import _datetime, datetime, itertools, os, sys, time

sys.pycache_prefix = "{PLACE}/pycache"
NOW = float(os.environ.get("RECORDED_NOW", {DAWN}))
DRAWS = itertools.count()
PROCESS = []

class Frozen(datetime.datetime):
    @classmethod
    def now(cls, tz=None):
        return cls.fromtimestamp(NOW, tz)

    @classmethod
    def utcnow(cls):
        return cls.utcfromtimestamp(NOW)

    @classmethod
    def today(cls):
        return cls.fromtimestamp(NOW)

def urandom(size):
    """The step, which of its processes that draw this is, and how often it has drawn."""
    import hashlib
    step = os.environ.get("RECORDED_STEP", "none")
    number = 0
    while not PROCESS:
        try:
            os.mkdir(f"{PLACE}/draws/{{step}}-{{number}}")
            PROCESS.append(number)
        except FileExistsError:
            number += 1
    return hashlib.shake_256(f"{{step}} {{PROCESS[0]}} {{next(DRAWS)}}".encode()).digest(size)

_datetime.datetime = datetime.datetime = Frozen
time.time = lambda: NOW
time.time_ns = lambda: int(NOW * 1_000_000_000)
os.urandom = urandom
'''


# ---------------------------------------------------------------- the place and the clock


class Day:
    """Runs commands in the place, each a tick after the one before."""

    def __init__(self) -> None:
        self.step = 0
        self.told: list[bytes] = []
        self.random = random.Random("recorded day")
        self.base = {
            "PATH": f"{PYTHON.parent}:/usr/local/bin:/usr/bin:/bin",
            "HOME": str(HOME),
            "TZ": "UTC",
            "LC_ALL": "C.UTF-8",
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_TERMINAL_PROMPT": "0",
            "GIT_TRAJ_SYNC": "1",
            "PYTHONHASHSEED": "0",  # backfill tells commits in the order of a set
        }

    @property
    def now(self) -> float:
        return DAWN + self.step * TICK

    def stamp(self) -> str:
        return datetime.fromtimestamp(self.now, UTC).isoformat(timespec="milliseconds")[:-6] + "Z"

    def run(
        self, *command: str, cwd: Path = REPO, given: bytes = b"", env: Mapping[str, str] | None = None
    ) -> subprocess.CompletedProcess[bytes]:
        self.step += 1
        date = f"{int(self.now)} +0000"
        clock = {"RECORDED_NOW": str(self.now), "RECORDED_STEP": str(self.step)}
        dates = {"GIT_AUTHOR_DATE": date, "GIT_COMMITTER_DATE": date}
        known = {**self.base, **clock, **dates, **(env or {})}
        state = cwd / ".git" / "traj"
        before = count_rewrites(state)
        if state.is_dir():  # hooks start a worker in the background, unless one that lives has the lock
            (state / "drain.lock").write_text(f"{os.getpid()}\n")
        done = subprocess.run(command, cwd=cwd, env=known, input=given, capture_output=True, check=False)
        (state / "drain.lock").unlink(missing_ok=True)
        if count_rewrites(state) > before:  # the one hook that GIT_TRAJ_SYNC means nothing to
            worker = (PYTHON, "-I", "-m", "gittraj.worker", "--foreground", state)
            subprocess.run(worker, cwd=cwd, env=known, capture_output=True, check=True)
        return done

    def git(self, *arguments: str, cwd: Path = REPO, env: Mapping[str, str] | None = None) -> str:
        done = self.run("git", *arguments, cwd=cwd, env=env)
        if done.returncode:
            raise RuntimeError(f"git {shlex.join(arguments)}: {done.stderr.decode()}")
        return done.stdout.decode().strip()

    def traj(
        self, *arguments: str, cwd: Path = REPO, given: bytes = b""
    ) -> subprocess.CompletedProcess[bytes]:
        done = self.run(str(PYTHON), "-P", "-m", "gittraj", *arguments, cwd=cwd, given=given)
        head = f"$ git traj {shlex.join(arguments)}\nin {cwd}: {done.returncode}"
        self.told.append(b"\n".join([head.encode(), b"--- stdout", done.stdout, b"--- stderr", done.stderr]))
        return done

    def commit(self, path: str, text: str, message: str, *options: str, cwd: Path = REPO) -> None:
        """A person's."""
        put(cwd / path, text)
        self.git("add", "--all", cwd=cwd)
        self.git("commit", "-qm", message, *options, cwd=cwd)

    def secret(self, prefix: str, length: int) -> str:
        """Made here, so that none is written down."""
        return prefix + "".join(self.random.choices(string.ascii_letters + string.digits, k=length))


def build_place(checkout: Path, python: Path) -> None:
    """An empty home, and a Python that finds the checkout even when isolated, as the hooks start it."""
    shutil.rmtree(PLACE, ignore_errors=True)
    for folder in (HOME, BARE, PLACE / "draws"):
        folder.mkdir(parents=True)
    (PLACE / "code").symlink_to(checkout.resolve())
    subprocess.run([python, "-m", "venv", "--without-pip", PYTHON.parent.parent], check=True)
    query = "import sysconfig as s; print(s.get_path('purelib'), s.get_path('platlib'), sep='\\n')"
    packages = subprocess.run([python, "-c", query], capture_output=True, text=True, check=True).stdout
    (site,) = PYTHON.parent.parent.glob("lib/python3*/site-packages")
    (site / "recorded.pth").write_text(f"{PLACE / 'code'}\n{packages}")
    (site / "sitecustomize.py").write_text(SITE)
    found = subprocess.run(
        [PYTHON, "-I", "-c", "import gittraj, os; print(os.path.realpath(gittraj.__file__))"],
        capture_output=True,
        text=True,
        check=True,
    ).stdout.strip()
    if Path(found) != checkout.resolve() / "gittraj" / "__init__.py":
        raise RuntimeError(f"{found} is not of {checkout}")
    program = PYTHON.parent / "git-traj"
    put(program, f'#!/bin/sh\nexec {PYTHON} -P -m gittraj "$@"\n')
    program.chmod(0o755)
    put(
        HOME / ".gitconfig",
        "[user]\n\tname = A U Thor\n\temail = author@example.com\n[gc]\n\tauto = 0\n"
        "[pack]\n\tthreads = 1\n"  # or deltas, and what stats tells of the disk, are as chance has it
        "[init]\n\tdefaultBranch = main\n[core]\n\teditor = true\n[advice]\n\tdetachedHead = false\n",
    )


def count_rewrites(state: Path) -> int:
    """How many rewritten commits the hooks told of."""
    spool = state / "spool"
    return spool.read_bytes().count(b"rewrite\t") if spool.exists() else 0


def put(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


# ---------------------------------------------------------------- agents


class Session:
    """An agent at work: does what is asked of it in ``folder`` and writes the log that the agent would."""

    agent = ""

    def __init__(self, day: Day, name: str, folder: Path = REPO) -> None:
        self.day, self.folder = day, folder
        self.id = str(uuid.uuid5(uuid.NAMESPACE_URL, f"{self.agent} {name}"))
        self.count = 0
        self.log = self.place()

    def ask(self, text: str) -> None: ...
    def tell(self, text: str, thought: str = "") -> None: ...
    def begin(self, call: str, kind: str, given: Json) -> None: ...
    def end(self, call: str, kind: str, given: Json, output: str, status: int) -> None: ...
    def place(self) -> Path: ...
    def environment(self, call: str) -> dict[str, str]: ...

    def write(self, path: str, text: str) -> None:
        given = {"path": str(self.folder / path), "text": text}
        call = self.begun("write", given)
        put(self.folder / path, text)
        self.end(call, "write", given, f"File created successfully at: {self.folder / path}", 0)

    def edit(self, path: str, old: str, new: str) -> None:
        given = {"path": str(self.folder / path), "old": old, "new": new}
        call = self.begun("edit", given)
        put(self.folder / path, (self.folder / path).read_text().replace(old, new, 1))
        self.end(call, "edit", given, f"The file {self.folder / path} has been updated successfully.", 0)

    def shell(self, command: str) -> None:
        call = self.begun("shell", {"command": command})
        done = self.day.run(
            "bash", "-c", f"{{ {command}\n}} 2>&1", cwd=self.folder, env=self.environment(call)
        )
        self.end(call, "shell", {"command": command}, done.stdout.decode().rstrip("\n"), done.returncode)

    def commit(self, message: str, *options: str) -> None:
        self.shell(
            shlex.join(["git", "add", "--all"])
            + " && "
            + shlex.join(["git", "commit", "-m", message, *options])
        )

    def begun(self, kind: str, given: Json) -> str:
        call = self.fresh("call_")
        self.begin(call, kind, given)
        return call

    def fresh(self, prefix: str = "") -> str:
        self.count += 1
        return prefix + uuid.uuid5(uuid.NAMESPACE_URL, f"{self.id} {self.log} {self.count}").hex

    def append(self, *records: Json) -> None:
        self.log.parent.mkdir(parents=True, exist_ok=True)
        with self.log.open("a") as stream:
            stream.writelines(json.dumps(record, separators=(",", ":")) + "\n" for record in records)
        os.utime(self.log, (self.day.now,) * 2)

    @property
    def trajectory(self) -> str:
        digest = hashlib.sha256(f"{self.agent}\0{self.id}".encode()).digest()[:10]
        return "traj_" + base64.b32encode(digest).decode().lower()


class Claude(Session):
    agent = "claude-code"
    helper = ""

    def place(self) -> Path:
        return HOME / ".claude" / "projects" / re.sub(r"\W|_", "-", str(self.folder)) / f"{self.id}.jsonl"

    def environment(self, call: str) -> dict[str, str]:
        return {"CLAUDECODE": "1", "CLAUDE_CODE_SESSION_ID": self.id}

    def delegate(self, name: str) -> Claude:
        """A subagent, whose log lies beside its session's."""
        other = Claude(self.day, name, self.folder)
        other.log = self.log.with_suffix("") / "subagents" / f"agent-{name}.jsonl"
        other.id, other.helper = self.id, name
        return other

    def ask(self, text: str) -> None:
        self._record("user", {"role": "user", "content": text})

    def tell(self, text: str, thought: str = "") -> None:
        if thought:
            self._say({"type": "thinking", "thinking": thought, "signature": "c2lnbmF0dXJl"})
        self._say({"type": "text", "text": text})

    def begin(self, call: str, kind: str, given: Json) -> None:
        name = {"write": "Write", "edit": "Edit", "shell": "Bash"}[kind]
        names = {"path": "file_path", "text": "content", "old": "old_string", "new": "new_string"}
        arguments = {names.get(key, key): value for key, value in given.items()}
        self._say({"type": "tool_use", "id": call, "name": name, "input": arguments})

    def end(self, call: str, kind: str, given: Json, output: str, status: int) -> None:
        block = {"type": "tool_result", "tool_use_id": call, "content": output, "is_error": bool(status)}
        detail: Json = {"stdout": output, "stderr": "", "interrupted": False}
        if kind != "shell":
            detail = {"filePath": given["path"], "structuredPatch": [], "originalFile": None}
        if kind == "write":
            detail |= {"type": "create", "content": given["text"]}
        if kind == "edit":
            detail |= {"oldString": given["old"], "newString": given["new"], "replaceAll": False}
        self._record("user", {"role": "user", "content": [block]}, toolUseResult=detail)

    def _say(self, block: Json) -> None:
        usage = {"input_tokens": 900 + self.count, "cache_read_input_tokens": 400, "output_tokens": 60}
        head = {
            "id": self.fresh("msg_"),
            "type": "message",
            "role": "assistant",
            "model": "claude-sonnet-4-5",
        }
        self._record("assistant", head | {"content": [block], "usage": usage})

    def _record(self, kind: str, message: Json, **more: Any) -> None:
        known = {"sessionId": self.id, "cwd": str(self.folder), "version": "2.1.197", "gitBranch": "main"}
        helper = {"isSidechain": bool(self.helper)} | ({"agentId": self.helper} if self.helper else {})
        own = {"uuid": str(uuid.UUID(self.fresh())), "timestamp": self.day.stamp()}
        self.append({"type": kind, "message": message} | more | own | known | helper)


class Codex(Session):
    agent = "codex"

    def place(self) -> Path:
        day = datetime.fromtimestamp(self.day.now, UTC)
        folder = HOME / ".codex" / "sessions" / f"{day:%Y/%m/%d}"
        return folder / f"rollout-{day:%Y-%m-%dT%H-%M-%S}-{self.id}.jsonl"

    def environment(self, call: str) -> dict[str, str]:
        return {"CODEX_THREAD_ID": self.id, "CODEX_SESSION_ID": self.id, "CODEX_TOOL_CALL_ID": call}

    def ask(self, text: str) -> None:
        if not self.log.exists():
            self._line("session_meta", id=self.id, cwd=str(self.folder), cli_version="0.169.0")
        self._line("turn_context", cwd=str(self.folder), model="gpt-5.5")
        self._message("user", "input_text", text)
        self._line("event_msg", type="user_message", message=text)

    def tell(self, text: str, thought: str = "") -> None:
        if thought:
            self._item("reasoning", summary=[{"type": "summary_text", "text": thought}])
        self._line("event_msg", type="agent_message", message=text)
        self._message("assistant", "output_text", text)
        tokens = {"input_tokens": 1200 + self.count, "cached_input_tokens": 500, "output_tokens": 80}
        total = {"total_token_usage": tokens, "last_token_usage": tokens}
        self._line("event_msg", type="token_count", info=total)

    def begin(self, call: str, kind: str, given: Json) -> None:
        if kind == "shell":
            arguments = json.dumps({"cmd": given["command"]})
            self._item("function_call", name="exec_command", arguments=arguments, call_id=call)
            return
        path = Path(given["path"]).relative_to(self.folder)
        lines = [f"*** Update File: {path}", "@@", f"-{given.get('old')}", f"+{given.get('new')}"]
        if kind == "write":
            lines = [f"*** Add File: {path}", *(f"+{line}" for line in given["text"].splitlines())]
        text = "\n".join(["*** Begin Patch", *lines, "*** End Patch"])
        self._item("custom_tool_call", name="apply_patch", input=text, call_id=call)

    def end(self, call: str, kind: str, given: Json, output: str, status: int) -> None:
        framed = f"Exit code: {status}\nWall time: 0 seconds\nOutput:\n{output}"
        name = "function_call_output" if kind == "shell" else "custom_tool_call_output"
        self._item(name, call_id=call, output=framed)

    def _message(self, role: str, kind: str, text: str) -> None:
        self._item("message", role=role, content=[{"type": kind, "text": text}])

    def _item(self, kind: str, **payload: Any) -> None:
        self._line("response_item", type=kind, **payload)

    def _line(self, kind: str, **payload: Any) -> None:
        self.append({"timestamp": self.day.stamp(), "type": kind, "payload": payload})


class Gemini(Session):
    agent = "gemini-cli"
    project = property(lambda self: hashlib.sha256(str(self.folder).encode()).hexdigest())

    def place(self) -> Path:
        name = f"session-{datetime.fromtimestamp(self.day.now, UTC):%Y-%m-%dT%H-%M}-{self.id[:8]}.jsonl"
        return HOME / ".gemini" / "tmp" / self.project / "chats" / name

    def environment(self, call: str) -> dict[str, str]:
        return {"GEMINI_CLI": "1"}

    def ask(self, text: str) -> None:
        if not self.log.exists():
            times = {"startTime": self.day.stamp(), "lastUpdated": self.day.stamp()}
            self.append({"sessionId": self.id, "projectHash": self.project, "kind": "main"} | times)
        self._message("user", content=[{"text": text}])

    def tell(self, text: str, thought: str = "") -> None:
        thoughts = (
            [{"subject": "Plan", "description": thought, "timestamp": self.day.stamp()}] if thought else []
        )
        self._answer(content=text, thoughts=thoughts)

    def begin(self, call: str, kind: str, given: Json) -> None:
        """The message of a call is written again when the call has ended."""
        names = {"path": "file_path", "text": "content", "old": "old_string", "new": "new_string"}
        name = {"write": "write_file", "edit": "replace", "shell": "run_shell_command"}[kind]
        arguments = {names.get(key, key): value for key, value in given.items()}
        self.open = self._answer(content="", toolCalls=[{"id": call, "name": name, "args": arguments}])

    def end(self, call: str, kind: str, given: Json, output: str, status: int) -> None:
        told = f"Output: {output}\nExit Code: {status}" if kind == "shell" else output
        (began,) = self.open["toolCalls"]
        answer = {"functionResponse": {"id": call, "name": began["name"], "response": {"output": told}}}
        state = {"status": "success", "result": [answer], "timestamp": self.day.stamp()}
        self.append(self.open | {"toolCalls": [began | state]})

    def _answer(self, **more: Any) -> Json:
        tokens = {"input": 700 + self.count, "cached": 100, "output": 40, "thoughts": 9, "tool": 0}
        return self._message("gemini", model="gemini-2.5-pro", tokens=tokens, **more)

    def _message(self, kind: str, **more: Any) -> Json:
        message = {"id": self.fresh(), "timestamp": self.day.stamp(), "type": kind} | more
        self.append(message)
        return message


# ---------------------------------------------------------------- the day


def code(topic: str, number: int) -> str:
    return f"def {topic}_{number}(value):\n    limit = {number * 7}\n    return min(value, limit)\n"


def decide(topic: str, number: int) -> str:
    said = {
        "chosen": f"a {topic} of {number} slots",
        "alternatives": ["no limit"],
        "reasoning": "memory is short",
    }
    return f"[[TRAJECTORY:decision]] {json.dumps(said | {'confidence': 0.5 + number / 40})} [[/TRAJECTORY]]"


def look_back(topic: str) -> str:
    said = {
        "summary": f"The {topic} has limits",
        "challenges": ["old callers"],
        "learnings": ["test the edge"],
    }
    return f"[[RETROSPECTIVE]] {json.dumps(said | {'confidence': 0.8})} [[/RETROSPECTIVE]]"


def play(day: Day) -> dict[str, Session]:
    """The whole day. Gives the sessions by name."""
    begin(day)
    sessions: dict[str, Session] = {}
    turns = (amends, rebases, picks, squashes, reverts, renames, records_by_hand, pauses, delegates, leaks)
    for number, (topic, turn) in enumerate(zip(TOPICS, turns, strict=True)):
        for kind in (Claude, Codex, Gemini):
            sessions[f"{kind.agent}-{topic}"] = work(day, kind(day, topic), topic, number)
        day.commit(f"docs/{topic}.md", f"# {topic}\n", f"Describe the {topic}")
        turn(day, sessions, topic)
    corrects(day, sessions)
    shares(day)
    fills_in(day)
    while (made := int(day.git("rev-list", "--count", "--branches", "--tags"))) < COMMITS:
        day.commit("NEWS", f"{made}\n", f"News {made}")
    return sessions


def begin(day: Day) -> None:
    day.git("init", "--quiet", "--bare", str(SERVER), cwd=PLACE)
    day.git("clone", "--quiet", str(SERVER), str(REPO), cwd=PLACE)
    day.commit("README", "The day\n", "Begin")
    day.traj("keys", "init")
    day.traj("install")
    day.git("config", "traj.push", "auto")
    for path in (REPO / ".git" / "config", HOME / ".gitconfig"):
        os.utime(path, (DAWN, DAWN))  # by the day's clock, as pre-commit looks at it
    day.commit("LICENSE", "None\n", "Add a license")
    day.git("push", "--quiet", "origin", "main")


def work(day: Day, agent: Session, topic: str, number: int) -> Session:
    """An agent makes two commits; its ways differ by the number."""
    path = f"src/{topic}_{agent.agent.replace('-', '_')}.py"
    agent.ask(f"Limit the {topic} to {number} slots in {path}, and commit it")
    agent.tell(
        f"I'll use a constant rather than a setting, because nobody changes the {topic}. "
        f"I haven't tested negative values of the {topic}.",
        f"A setting would be read in three places; the {topic} is hot.",
    )
    agent.shell("git log --oneline -3; ls")
    agent.write(path, code(topic, number))
    if number % 3 == 0:
        agent.tell(decide(topic, number))
    agent.commit(f"Limit the {topic} ({agent.agent})")
    agent.tell(f"Committed. The {topic} has {number} slots.")
    agent.ask(f"Raise the {topic}'s limit")
    agent.edit(path, f"limit = {number * 7}", f"limit = {number * 7 + 1}")
    agent.shell(f"python3 -m py_compile {path} && echo 3 passed; rm -rf src/__pycache__")
    agent.commit(f"Raise the {topic} ({agent.agent})")
    agent.tell(f"Raised by one.{chr(10) + look_back(topic) if number % 2 else ''}", "That was easy.")
    return agent


def amends(day: Day, sessions: dict[str, Session], topic: str) -> None:
    day.commit("docs/more.md", "more\n", "Raise the limit, and say more", "--amend")
    agent = sessions[f"claude-code-{topic}"]
    agent.ask("Say it better")
    agent.edit(f"src/{topic}_claude_code.py", "limit = 1", "bound = 1")
    agent.commit("Name the bound")
    agent.commit("Name the bound, and say why", "--amend")
    agent.tell("Amended.")
    day.git("tag", "amended")


def rebases(day: Day, sessions: dict[str, Session], topic: str) -> None:
    day.git("checkout", "--quiet", "-b", "rebased", "HEAD~4")
    agent = sessions[f"codex-{topic}"]
    agent.ask("Trace the parser")
    for number in range(3):
        agent.write(f"src/trace_{number}.py", code("trace", number))
        agent.commit(f"Trace {number}")
    agent.tell("Traced.")
    day.git("rebase", "--quiet", "main")
    day.git("checkout", "--quiet", "main")
    day.git("merge", "--quiet", "--ff-only", "rebased")
    day.git("tag", "rebased-tip")


def picks(day: Day, sessions: dict[str, Session], topic: str) -> None:
    day.git("checkout", "--quiet", "-b", "stable", "HEAD~12")
    day.git("cherry-pick", "main~2", "main~4")
    day.git("tag", "picked")
    day.git("checkout", "--quiet", "main")


def squashes(day: Day, sessions: dict[str, Session], topic: str) -> None:
    day.git("checkout", "--quiet", "-b", "feature")
    agent = sessions[f"gemini-cli-{topic}"]
    agent.ask("Count hits")
    for number in range(3):
        agent.write(f"src/hits_{number}.py", code("hits", number + 3))
        agent.commit(f"Count hits {number}")
    agent.tell("Counted.")
    day.git("checkout", "--quiet", "main")
    day.git("merge", "--quiet", "--squash", "feature")
    day.git("commit", "-qm", "Count hits, squashed")
    day.git("tag", "squashed")


def reverts(day: Day, sessions: dict[str, Session], topic: str) -> None:
    day.git("revert", "--no-edit", "main~1")
    day.git("tag", "reverted")
    sessions[f"claude-code-{topic}"].shell("git revert --no-edit main~3")
    day.git("reset", "--quiet", "--hard", "HEAD~1")
    day.commit("docs/reset.md", "again\n", "After a reset")


def renames(day: Day, sessions: dict[str, Session], topic: str) -> None:
    day.git("mv", f"src/{topic}_codex.py", f"src/{topic}_moved.py")
    day.git("commit", "-qm", f"Move the {topic}")
    agent = sessions[f"claude-code-{topic}"]
    agent.ask("Add an error to what was moved")
    agent.edit(
        f"src/{topic}_moved.py", "    return", "    if value is None:\n        raise ValueError\n    return"
    )
    agent.commit(f"The {topic} raises an error")
    day.git("tag", "renamed")


def records_by_hand(day: Day, sessions: dict[str, Session], topic: str) -> None:
    day.traj(
        "start", "Log in with a token", "--task", "acme:LOGIN-7", "--tag", "security", "--agent", "ann:lead"
    )
    day.traj("chapter", "Look around")
    choice = ("a token bucket", "--alternative", "a fixed window", "--question", "how to limit?")
    day.traj("decision", *choice, "--reasoning", "bursts are normal", "--confidence", "0.8")
    day.traj("event", "finding", "the proxy retries at once", "--significance", "high", "--tag", "proxy")
    day.commit("src/token.py", code("token", 5), "Log in with a token")
    day.git("tag", "by-hand")
    day.traj("event", "note", "the next one is harder")
    day.commit("src/bucket.py", code("bucket", 6), "Fill the bucket")
    more = ("--approach", "small steps", "--challenge", "clocks", "--learning", "the proxy retries")
    day.traj(
        "complete",
        "--summary",
        "Requests are limited",
        *more,
        "--suggestion",
        "measure",
        "--confidence",
        "0.9",
    )
    day.traj("start", "Without a result")
    day.commit("src/none.py", code("none", 1), "Try none")
    day.traj("abandon", "--reason", "it is not needed")
    agent = sessions[f"claude-code-{topic}"]
    agent.shell(
        "git traj start 'Name of the session' && git traj decision 'said in the shell' --confidence 0.3"
    )


def pauses(day: Day, sessions: dict[str, Session], topic: str) -> None:
    agent = sessions[f"codex-{topic}"]
    day.traj("pause")
    agent.ask("Work while nobody looks")
    agent.write("src/paused.py", code("paused", 2))
    agent.commit("Paused")
    day.traj("resume")
    agent.write("src/resumed.py", code("resumed", 3))
    agent.shell("git add . && GIT_TRAJ=0 git commit -m Off")
    agent.write("src/on.py", code("on", 4))
    agent.commit("On again")


def delegates(day: Day, sessions: dict[str, Session], topic: str) -> None:
    agent = sessions[f"claude-code-{topic}"]
    assert isinstance(agent, Claude)
    agent.ask("Let somebody write a helper")
    agent.shell("echo agentId: a1b2c3d4")
    helper = agent.delegate("a1b2c3d4")
    helper.ask("Write src/helped.py")
    helper.write("src/helped.py", code("helped", 8))
    helper.tell("Wrote it.", "A small function is enough.")
    agent.commit("Helped by another")
    agent.tell("Done.")
    day.git("tag", "delegated")


def leaks(day: Day, sessions: dict[str, Session], topic: str) -> None:
    token, password = day.secret("gh" + "p_", 36), day.secret("", 20)
    agent = sessions[f"claude-code-{topic}"]
    agent.ask(f"Use postgres://app:{password}@db.internal/app for the {topic}")
    put(HOME / "secrets.env", f"API_TOKEN={token}\nDB_PASSWORD={password}\n")
    agent.shell("cat ~/secrets.env")
    agent.shell(f"echo 'Authorization: Bearer {token}'; false")
    agent.write("src/leak.py", code("leak", 9))
    agent.commit("Call the service")
    agent.tell(f"The password {password} works.")
    day.git("tag", "leaked")
    day.commit(
        "old.trajectory.json",
        json.dumps({"id": "traj_old", "version": 1, "task": {"title": f"token={token}"}, "chapters": []}),
        "Keep a trajectory as a file",
    )


def corrects(day: Day, sessions: dict[str, Session]) -> None:
    """By hand: link, unlink, forget, import, carry, repair, and a retrospective afterwards."""
    day.traj("link", "amended", "--session", sessions["codex-cache"].id)
    day.traj("unlink", "delegated", sessions["claude-code-export"].trajectory)
    day.traj("forget", sessions["gemini-cli-mail"].trajectory)
    day.traj("complete", sessions["codex-parser"].trajectory, "--summary", "Added afterwards")
    day.traj("carry", "--from", "by-hand", "--onto", "reverted")
    day.traj("repair")
    chat = [{"role": "system", "content": "Help. " * 20}, {"role": "user", "content": "Why a queue?"}]
    chat += [
        {"role": "assistant", "content": "Because bursts are normal. I'll use a list rather than a heap."}
    ]
    day.traj("import", "-", "--commit", "squashed", given=json.dumps(chat).encode())
    for kind in ("atif", "trajectory"):
        target = PLACE / f"{kind}-exported"
        day.traj("export", "--format", kind, "-o", str(target), "leaked")
    put(PLACE / "elsewhere.jsonl", sessions["claude-code-parser"].log.read_text().replace("parser", "lexer"))
    day.traj("import", str(PLACE / "elsewhere.jsonl"), "--auto", "--task", "acme:LEX-1")


def shares(day: Day) -> None:
    """Two clones that write at the same time."""
    day.git("push", "--quiet", "--tags", "origin", "main")
    day.traj("push", "--dry-run")
    day.traj("push")
    day.git("clone", "--quiet", str(SERVER), str(BOB), cwd=PLACE)
    day.git("config", "user.name", "Bob", cwd=BOB)
    day.git("config", "traj.push", "auto", cwd=BOB)
    day.traj("install", cwd=BOB)
    day.traj("fetch", cwd=BOB)
    work(day, Codex(day, "bob", BOB), "bob", 3)
    day.commit("src/more.py", "more = 1\n", "More")
    day.traj("sync", cwd=BOB)
    day.traj("sync")
    day.git("pull", "--quiet", "--rebase", cwd=BOB)


def fills_in(day: Day) -> None:
    """A repository where agents worked before git-traj came."""
    day.git("init", "--quiet", str(OLDER), cwd=PLACE)
    day.commit("README", "older\n", "Begin", cwd=OLDER)
    for kind in (Claude, Codex, Gemini):
        work(day, kind(day, "older", OLDER), "older", 6)
    day.traj("install", cwd=OLDER)
    day.traj("backfill", "--dry-run", cwd=OLDER)
    day.traj("backfill", cwd=OLDER)


# ---------------------------------------------------------------- what is asked

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
"""Commands that are asked again with ``--json``."""

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

ELSEWHERE = """
log | log --file src/bob_codex.py | show | show --show-thinking | status | doctor | stats
search slots | search --fetch limit
"""
"""Asked in the other clone, and where sessions were found afterwards."""

NOWHERE = """
log | show | status | doctor | why file:1 | search limit | context file | stats | export | pr
redact <secrets | redact --audit | push | install | backfill | keys list | recipients list | start title
"""
"""Asked outside of a repository."""

CLOSING = """
log --oneline | install --agent claude-code --agent codex --agent gemini
recipients add {reader} --name reader | recipients list | recipients trust
rewrap | reseal main~5..main | redact --purge --dry-run slots | redact --purge slots
forget {claude-code-mail} --purge | doctor | log | show leaked | log --json | uninstall | uninstall --purge
status
"""
"""What writes; the stored objects are kept again after it."""


class Record:
    """Writes what was said into numbered files."""

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

    def ask_all(self, lines: str, folder: Path) -> None:
        for line in re.split(r"\n| \| ", lines.strip()):
            self.ask(line, folder)
            if line.startswith(JSON) and not re.search(
                r"--format|--porcelain|--jsonl|--test|--explain", line
            ):
                command, _, source = line.partition(" <")
                self.ask(f"{command} --json" + (f" <{source}" if source else ""), folder)

    def ask(self, line: str, folder: Path) -> None:
        command, _, source = line.partition(" <")
        words = [self._fill(word) for word in shlex.split(command)]
        given = self.inputs[source].encode() if source else b""
        self.day.traj(*words, cwd=folder, given=given)
        self.number += 1
        name = re.sub(r"[^\w.]+", "-", line).strip("-")[:60]
        (self.out / f"{self.number:03}-{name}.txt").write_bytes(self.day.told[-1])

    def _fill(self, word: str) -> str:
        return re.sub(r"\{([\w-]+)\}", lambda m: self.known[m[1]], word).replace("@/", f"{self.files}/")

    def keep_files(self) -> None:
        """What commands wrote; a database as the statements that make it."""
        for path in sorted(p for p in self.files.rglob("*") if p.is_file()):
            target = self.out / "files" / path.relative_to(self.files)
            target.parent.mkdir(parents=True, exist_ok=True)
            if path.read_bytes().startswith(b"SQLite format 3"):
                with sqlite3.connect(path) as database:
                    target.write_text("\n".join(database.iterdump()))
            else:
                shutil.copyfile(path, target)

    def keep_refs(self, name: str) -> None:
        """Every blob below refs/notes/traj*, and the commit that each ref stands at."""
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
        """What lies beside the refs, as installed and as remembered; keys and locks are none of it."""
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
    """By path, notes without their fan-out."""
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


# ---------------------------------------------------------------- record and compare


def record(checkout: Path, python: Path, out: Path) -> None:
    if out.exists() and any(out.iterdir()):
        raise SystemExit(f"{out} is not empty")
    out.mkdir(parents=True, exist_ok=True)
    with PLACE.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # the place is the same for all
        build_place(checkout, python.absolute())
        day = Day()
        sessions = play(day)
        known = {name: session.trajectory for name, session in sessions.items()}
        known["reader"] = new_reader(day)
        kept = Record(day, out, known)
        (out / "000-day.txt").write_bytes(b"\n".join(day.told))
        kept.keep_refs("before")
        kept.ask_all(READS, REPO)
        shutil.rmtree(REPO / ".git" / "traj-index", ignore_errors=True)
        for folder in (REPO, BOB, OLDER):  # the index of ours is made anew
            kept.ask_all(ELSEWHERE, folder)
        kept.ask_all(NOWHERE, BARE)
        kept.keep_state()
        kept.ask_all(CLOSING, REPO)
        kept.keep_refs("after")
        kept.keep_files()
    print(f"{out}: {count(out)}")


def new_reader(day: Day) -> str:
    """The public key of somebody else."""
    home = {"HOME": str(PLACE / "reader")}
    (PLACE / "reader").mkdir()
    command = (str(PYTHON), "-P", "-m", "gittraj", "keys")
    day.run(*command, "init", cwd=BARE, env=home)
    return day.run(*command, "export", cwd=BARE, env=home).stdout.decode().split()[0]


def compare(one: Path, other: Path) -> int:
    """Says what differs. Gives the exit status."""
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
    recording = commands.add_parser("record", help="play the day and keep what it leaves")
    recording.add_argument("--checkout", type=Path, required=True, metavar="DIR", help="whose code runs")
    recording.add_argument(
        "--python", type=Path, required=True, metavar="PY", help="which has its dependencies"
    )
    recording.add_argument("--out", type=Path, required=True, metavar="FOLDER", help="new or empty")
    comparing = commands.add_parser("compare", help="status 1 if two records differ")
    comparing.add_argument("folders", type=Path, nargs=2, metavar="FOLDER")
    given = parser.parse_args()
    if given.command == "compare":
        return compare(*given.folders)
    record(given.checkout, given.python, given.out)
    return 0


if __name__ == "__main__":
    sys.exit(main())
