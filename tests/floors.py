"""The packages of gittraj ("rooms") by layer ("floor"): ``test_imports`` checks them and their diagrams.

``python -m tests.floors`` prints the diagram, to paste wherever ``test_imports`` finds an outdated one.
"""

from __future__ import annotations

FLOORS: tuple[dict[str, str], ...] = (
    {
        "github_action": "the pull request bot: activity, comment, gate, outputs",
    },
    {
        "cli": "git traj VERB is VERB.py: parses, calls, prints; common/ is what verbs share",
        "api": "gittraj.Trajectories, for Python programs",
        "testing": "the contract of a plug-in, for its author's tests",
        "precommit": "the pre-commit hook's process: redacts what is staged",
    },
    {
        "commands": "what a verb does: install, doctor, backfill, link, record, purge, export ...",
        "gather": "records of many repositories in one engine: DuckDB, PostgreSQL, Parquet",
        "worker": "the process that a hook starts: drain, index, push",
    },
    {
        "summarizer": "asks the user's own program for summaries; checks what it quotes",
        "sync": "records to remotes and back: fetch, join, push, consent, rescan before push",
    },
    {
        "index": "SQLite derived from the refs, disposable: listings and full-text search",
    },
    {
        "render": "text for people: text (terminal), markdown, html, comment (pull request)",
        "asking": "the process that an agent waits for: asks for a retrospective",
    },
    {
        "query": "answers from the records: log, show, why, context, stats",
        "record": "builds records: drain (what is new), redact, seal, write notes",
    },
    {
        "agents": "live agents: how each is recognised, where its sessions are",
        "capture": "which events belong to which commit, and why",
        "decisions": "decisions that an agent recorded: in blocks, by commands (inferred: events/prose)",
        "notes": "records on commits and monthly segments: store, refs, merge, tree, carry",
        "redact": "removes secrets from text: rules, readers, engine",
        "seal": "thinking encrypted for named readers (age)",
    },
    {
        "config": "settings that several rooms read: git config traj.*, .gittraj.yml",
        "events": "computed from events: summaries, test runs, prose, truncation; no side effects",
        "formats": "a module or folder per format: bytes of a session in, items out, and back",
        "history": "what rewritten commits became if no hook reported it: rebase, squash, pick",
        "state": "everything in .git/traj: cursors, spool, locks",
        "tasks": "beads, GitHub, Linear, Jira",
    },
    {
        "plugins": "what other packages and programs add, by the names in the user's configuration",
    },
    {
        "git": "git itself: objects, refs, reflogs, blame; libgit2 or plumbing",
        "model": "the data types that all rooms share, and their JSON",
    },
    {
        "errors": "every error that is raised on purpose",
        "frozen": "dataclasses that are quick to import",
        "limits": "how much is read at most of data that others wrote",
        "startup": "what keeps startup short: names imported when they are used, a light SHA-256",
    },
)
"""Top floor first. A room imports only from lower floors, never from its own floor."""


def picture() -> str:
    """Return the diagram: one line per room, with a rule between floors."""
    floors = ["\n".join(f"{room:<14}{purpose}" for room, purpose in floor.items()) for floor in FLOORS]
    return f"\n{'-' * 14}\n".join(floors)


if __name__ == "__main__":
    print(picture())
