"""All commands, in the order of ``git traj -h``."""

from __future__ import annotations

COMMANDS: dict[str, dict[str, str]] = {
    "common commands": {
        "install": "Set up this repository: hooks and the fetch refspec",
        "status": "Show what is recorded, what is still to be recorded or pushed, and the settings",
        "log": "List the commits that have a trajectory, and why they were made",
        "show": "Show a commit's trajectories, or one trajectory, in full",
        "why": "Blame a line and say why: the commit, the prompt, the decision, the edit",
        "search": "Search everything recorded, by words or by similarity",
        "backfill": "Link this machine's earlier sessions to the commits that they made",
        "sync": "Fetch and push, so that the remote and this clone have the same records",
    },
    "reading": {
        "export": "Export as HTML, Markdown, JSON and other formats",
        "bundle": "Write a task's trajectories into a folder to read",
        "compare": "Compare two trajectories, commits, runs or agents",
        "stats": "Summarise coverage, agents, tokens and cost",
        "validate": "Check a document or a ref against the schema of its format",
    },
    "for agents": {
        "context": "List decisions and doubts about files, within a token budget",
    },
    "recording": {
        "start": "Start recording by hand, or title the current session",
        "chapter": "Begin a chapter",
        "decision": "Record what was chosen, what was rejected, and why",
        "event": "Record a note, a finding, a message",
        "complete": "End the trajectory with a retrospective, or add one afterwards",
        "abandon": "End the trajectory without a result",
        "tasks": "Fetch the current state of the tasks worked on here",
    },
    "sharing": {
        "fetch": "Fetch a remote's records and join them with ours",
        "push": "Send our records to a remote, never by force",
        "pr": "Write the pull request comment for this branch",
    },
    "many repositories": {
        "gather": "Gather the records of many repositories into one database",
    },
    "set-up": {
        "uninstall": "Remove the hooks, refspecs and instructions that install added",
        "doctor": "Check hooks, notes and local state, and say what to do",
        "pause": "Stop recording until resume",
        "resume": "Record again after pause; the time between stays unrecorded",
        "version": "Show the versions of git-traj and of what it runs on",
        "completion": "Print the completion script for bash, zsh or fish",
    },
    "protecting": {
        "redact": "Remove secrets from text, or look for secrets in stored records",
    },
    "sealing": {
        "keys": "Manage the keys that open what is sealed for you",
        "recipients": "Manage who may read sealed thinking",
        "seal": "Seal thinking that was stored in clear",
        "rewrap": "Let today's readers open what is sealed, without encrypting it again",
        "reseal": "Encrypt again what is sealed, for today's readers only",
    },
    "by hand": {
        "run": "Run an agent that has no log, and record what it prints",
        "import": "Import session files, also from elsewhere or through a pipe",
        "link": "Link a session's trajectory to a commit",
        "unlink": "Unlink a trajectory from a commit",
        "summarize": "Have your own program summarise records",
        "strike": "Mark an inferred decision or doubt as wrong",
        "forget": "Withdraw a trajectory or a session from every commit, for good",
        "repair": "Re-attach records after amend, rebase or squash",
        "carry": "Copy the records of commits to the commit that replaced them",
    },
}
"""Name and description by group. The command ``log`` is ``gittraj.cli.log.command``."""
FILES = {
    **dict.fromkeys(("start", "chapter", "decision", "event", "complete", "abandon"), "recording"),
    **dict.fromkeys(("sync", "fetch", "push"), "sync"),
    **dict.fromkeys(("seal", "rewrap", "reseal"), "seal"),
    **dict.fromkeys(("pause", "resume"), "pause"),
    **dict.fromkeys(("link", "unlink", "strike"), "link"),
    **dict.fromkeys(("keys", "recipients"), "keys"),
    **dict.fromkeys(("status", "doctor"), "doctor"),
    **dict.fromkeys(("repair", "carry"), "repair"),
    **dict.fromkeys(("export", "bundle"), "export"),
}
"""The commands that share a file; the function has the command's name: ``gittraj.cli.pause.resume``."""
