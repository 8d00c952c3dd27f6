"""The script of the recorded day: agents and people make a hundred commits, in every way that we record."""

from __future__ import annotations

import json
import os

from benchmarks.recorded_day.agents import Claude, Codex, Gemini, Session
from benchmarks.recorded_day.place import BOB, DAWN, HOME, OLDER, PLACE, REPO, SERVER, Day, put

TOPICS = ("parser", "cache", "server", "search", "report", "queue", "login", "mail", "export", "clock")
COMMITS = 100


def code(topic: str, number: int) -> str:
    return f"def {topic}_{number}(value):\n    limit = {number * 7}\n    return min(value, limit)\n"


def decide(topic: str, number: int) -> str:
    fields = {
        "chosen": f"a {topic} of {number} slots",
        "alternatives": ["no limit"],
        "reasoning": "memory is short",
    }
    return f"[[TRAJECTORY:decision]] {json.dumps(fields | {'confidence': 0.5 + number / 40})} [[/TRAJECTORY]]"


def retrospective(topic: str) -> str:
    fields = {
        "summary": f"The {topic} has limits",
        "challenges": ["old callers"],
        "learnings": ["test the edge"],
    }
    return f"[[RETROSPECTIVE]] {json.dumps(fields | {'confidence': 0.8})} [[/RETROSPECTIVE]]"


def run_day(day: Day) -> dict[str, Session]:
    """Run the whole day, and return its sessions by name."""
    begin(day)
    sessions: dict[str, Session] = {}
    episodes = (amends, rebases, picks, squashes, reverts, renames, records_by_hand, pauses, delegates, leaks)
    for number, (topic, episode) in enumerate(zip(TOPICS, episodes, strict=True)):
        for kind in (Claude, Codex, Gemini):
            sessions[f"{kind.agent}-{topic}"] = work(day, kind(day, topic), topic, number)
        day.commit(f"docs/{topic}.md", f"# {topic}\n", f"Describe the {topic}")
        episode(day, sessions, topic)
    correct_by_hand(day, sessions)
    shares(day)
    backfills(day)
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
        os.utime(path, (DAWN, DAWN))  # the pre-commit hook compares their mtime with the day's clock
    day.commit("LICENSE", "None\n", "Add a license")
    day.git("push", "--quiet", "origin", "main")


def work(day: Day, agent: Session, topic: str, number: int) -> Session:
    """Let an agent make two commits; its steps vary with ``number``."""
    path = f"src/{topic}_{agent.agent.replace('-', '_')}.py"
    agent.ask(f"Limit the {topic} to {number} slots in {path}, and commit it")
    agent.say(
        f"I'll use a constant rather than a setting, because nobody changes the {topic}. "
        f"I haven't tested negative values of the {topic}.",
        f"A setting would be read in three places; the {topic} is hot.",
    )
    agent.shell("git log --oneline -3; ls")
    agent.write(path, code(topic, number))
    if number % 3 == 0:
        agent.say(decide(topic, number))
    agent.commit(f"Limit the {topic} ({agent.agent})")
    agent.say(f"Committed. The {topic} has {number} slots.")
    agent.ask(f"Raise the {topic}'s limit")
    agent.edit(path, f"limit = {number * 7}", f"limit = {number * 7 + 1}")
    agent.shell(f"python3 -m py_compile {path} && echo 3 passed; rm -rf src/__pycache__")
    agent.commit(f"Raise the {topic} ({agent.agent})")
    agent.say(f"Raised by one.{chr(10) + retrospective(topic) if number % 2 else ''}", "That was easy.")
    return agent


def amends(day: Day, sessions: dict[str, Session], topic: str) -> None:
    day.commit("docs/more.md", "more\n", "Raise the limit, and say more", "--amend")
    agent = sessions[f"claude-code-{topic}"]
    agent.ask("Say it better")
    agent.edit(f"src/{topic}_claude_code.py", "limit = 1", "bound = 1")
    agent.commit("Name the bound")
    agent.commit("Name the bound, and say why", "--amend")
    agent.say("Amended.")
    day.git("tag", "amended")


def rebases(day: Day, sessions: dict[str, Session], topic: str) -> None:
    day.git("checkout", "--quiet", "-b", "rebased", "HEAD~4")
    agent = sessions[f"codex-{topic}"]
    agent.ask("Trace the parser")
    for number in range(3):
        agent.write(f"src/trace_{number}.py", code("trace", number))
        agent.commit(f"Trace {number}")
    agent.say("Traced.")
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
    agent.say("Counted.")
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
    helper.say("Wrote it.", "A small function is enough.")
    agent.commit("Helped by another")
    agent.say("Done.")
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
    agent.say(f"The password {password} works.")
    day.git("tag", "leaked")
    day.commit(
        "old.trajectory.json",
        json.dumps({"id": "traj_old", "version": 1, "task": {"title": f"token={token}"}, "chapters": []}),
        "Keep a trajectory as a file",
    )


def correct_by_hand(day: Day, sessions: dict[str, Session]) -> None:
    """Correct by hand: link, unlink, forget, import, carry, repair, and a retrospective afterwards."""
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
    """Write records in two clones, and sync them."""
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


def backfills(day: Day) -> None:
    """Backfill a repository in which agents worked before git-traj was installed."""
    day.git("init", "--quiet", str(OLDER), cwd=PLACE)
    day.commit("README", "older\n", "Begin", cwd=OLDER)
    for kind in (Claude, Codex, Gemini):
        work(day, kind(day, "older", OLDER), "older", 6)
    day.traj("install", cwd=OLDER)
    day.traj("backfill", "--dry-run", cwd=OLDER)
    day.traj("backfill", cwd=OLDER)
