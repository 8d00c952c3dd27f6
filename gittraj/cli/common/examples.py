"""Examples of each command, for its ``-h`` and the manual: a command line, and what it does."""

from __future__ import annotations

EXAMPLES: dict[str, tuple[tuple[str, str], ...]] = {
    "install": (
        ("git traj install", "ask which agents to set up, and link their past sessions"),
        ("git traj install --yes", "the same without questions"),
        ("git traj install --agent codex", "add the hooks and the instruction of one agent"),
        ("git traj install --global", "record in every repository created or cloned from now on"),
    ),
    "status": (("git traj status", "what is recorded here, what waits, which settings apply"),),
    "log": (
        ("git traj log -5", "the last five recorded commits, with their reasons"),
        ("git traj log src/", "those that touched a path"),
        ("git traj log --agent codex --since yesterday", "one agent's, recently"),
        ("git traj log --decisions main..HEAD", "what was decided on this branch"),
    ),
    "show": (
        ("git traj show", "the last commit: what was asked, done and decided"),
        ("git traj show HEAD~2 --events", "every event, with results"),
        ("git traj show --format html -o why.html --open", "a page, in your browser"),
    ),
    "why": (
        ("git traj why src/api.py:12", "one line"),
        ("git traj why src/api.py:10,20 --rev HEAD~3", "a range, as it was"),
        ("git traj why src/api.py:parse", "a function"),
        ("git traj blame src/api.py", "the whole file: each reason once"),
    ),
    "search": (
        ("git traj search rate limit", "all words, in any form"),
        ("git traj search 'time*' --in decision", "words that begin with time, in decisions only"),
        ("git traj search --similar 'retries make it worse'", "the same in other words"),
    ),
    "backfill": (
        ("git traj backfill --dry-run", "what would be linked, and by which evidence"),
        ("git traj backfill --since 2026-01-01", "link this year's sessions"),
    ),
    "export": (
        ("git traj export --format html -o site/", "a site of everything that is recorded"),
        ("git traj export main..HEAD --format markdown -o branch.md", "a branch in one document"),
        ("git traj export --format atif -o session.json", "for other tools"),
    ),
    "stats": (
        ("git traj stats", "coverage, tokens and cost by month"),
        ("git traj stats --by agent main..HEAD", "by agent, of this branch"),
    ),
    "context": (("git traj context src/api.py --budget 1000", "what an agent should know before it edits"),),
    "start": (("git traj start 'Limit the rate' --task beads:bd-1", "record by hand, for a task"),),
    "chapter": (("git traj chapter 'Write the tests'", "a new chapter"),),
    "decision": (
        ("git traj decision 'one regex' --alternative 'a scanner' --reasoning 'no nesting'", "a decision"),
    ),
    "event": (("git traj event finding 'the cache is never emptied'", "a finding"),),
    "complete": (("git traj complete --summary 'Rate limited' --confidence 0.8", "with a retrospective"),),
    "abandon": (("git traj abandon --reason 'solved upstream'", "end without a result"),),
    "tasks": (("git traj tasks", "end and rename here what is closed or renamed in the task's system"),),
    "sync": (("git traj sync", "get the team's records, send yours; the first push asks"),),
    "fetch": (("git traj fetch origin", "get records, send nothing"),),
    "push": (("git traj push --dry-run", "what would become readable, and to whom"),),
    "pr": (
        ("git traj pr --base main", "the comment, as text on a terminal"),
        ("git traj pr --base main > comment.md", "as Markdown"),
    ),
    "uninstall": (("git traj uninstall", "files as they were; the records stay"),),
    "doctor": (("git traj doctor --fix", "repair what can be repaired without losing anything"),),
    "pause": (("git traj pause", "record nothing until: git traj resume"),),
    "resume": (("git traj resume", "record again"),),
    "version": (("git traj version --json", "for a report of a bug"),),
    "completion": (
        ("git traj completion bash > ~/.local/share/bash-completion/completions/git-traj", "for bash"),
    ),
    "redact": (
        ("git traj redact log.txt > clean.txt", "a text without its secrets"),
        ("git traj redact --audit", "look for secrets in what is stored; exits 1 if there are any"),
    ),
    "keys": (
        ("git traj keys init", "create your key"),
        ("git traj keys export", "your public key, for others"),
    ),
    "recipients": (("git traj recipients add age1... --name ann", "let ann read sealed thinking"),),
    "seal": (("git traj seal main..HEAD", "seal thinking that was stored in clear"),),
    "rewrap": (("git traj rewrap", "let today's readers open what is sealed"),),
    "reseal": (("git traj reseal", "encrypt what is not pushed yet for today's readers alone"),),
    "import": (
        ("git traj import session.jsonl --auto", "link to the commits that its evidence names"),
        ("git traj import run.traj --commit HEAD", "link to one commit"),
    ),
    "link": (("git traj link HEAD --session 3f2a91c0-5b0e-4c1b-9d55-1d2f1b6a7c88", "link by hand"),),
    "unlink": (("git traj unlink HEAD", "take all trajectories off a commit"),),
    "summarize": (("git traj summarize main..HEAD --dry-run", "what your program would be asked"),),
    "strike": (("git traj strike HEAD 3b30df90 --why 'it said so of the old API'", "a decision is wrong"),),
    "forget": (("git traj forget traj_xtdcgweo2rv47cjf", "withdraw a trajectory from every commit"),),
    "repair": (
        ("git traj repair --dry-run", "which records would go where"),
        ("git traj repair --reread", "read stored sessions again with today's rules"),
    ),
    "bundle": (("git traj bundle beads:bd-1 -o bd-1/", "all that was done for a task, to read"),),
    "compare": (
        ("git traj compare HEAD~1 HEAD", "two commits: where the work parted, what it cost"),
        ("git traj compare claude-code codex --task bd-1", "two agents on one task"),
    ),
    "validate": (("git traj validate trajectory.json", "against the published schema"),),
    "run": (("git traj run -- my-agent --fix", "record an agent that keeps no log"),),
    "gather": (("git traj gather ~/src --into team.duckdb", "the records of all clones in a folder"),),
    "carry": (("git traj carry --from main..topic --onto HEAD", "after a squash on a server"),),
}


def epilog(command: str) -> str | None:
    """For ``-h``; click keeps the lines of a paragraph that begins with a backspace."""
    rows = [f"  {line}\n      {purpose}" for line, purpose in EXAMPLES.get(command, ())]
    return "\n".join(("\b", f"Example{'s' * (len(rows) > 1)}:", *rows)) if rows else None
