"""All commands, in the order of ``git traj -h``."""

from __future__ import annotations

COMMANDS: dict[str, dict[str, str]] = {
    "what people need": {
        "install": "Set up this repository: hooks and the fetch refspec",
        "status": "What is captured here, what waits, what is in force",
        "log": "Commits that carry a trajectory, and why they were made",
        "show": "Everything known of a commit's trajectories, or of one trajectory",
        "why": "Blame a line and say why: the commit, the prompt, the decision, the edit",
        "search": "Full-text search over all trajectories, or: what was like this before?",
        "backfill": "Link this machine's earlier sessions to the commits that they made",
    },
    "reading": {
        "export": "Into files: pages, a site, other formats; or a seal as it is",
        "stats": "How much is explained, by whom, and what it cost",
    },
    "for agents": {
        "context": "What was decided, rejected and feared about files, within a budget of tokens",
    },
    "recording": {
        "start": "Begin a trajectory by hand, or name the session's own",
        "chapter": "Begin a chapter of it",
        "decision": "Record what was chosen, what was rejected, and why",
        "event": "Record a note, a finding, a message",
        "complete": "End it with a retrospective, or add one afterwards",
        "abandon": "End it without a result",
    },
    "sharing": {
        "sync": "Fetch and push: the remote and this clone have the same records",
        "fetch": "Bring a remote's records beside ours, and join them",
        "push": "Send our records to a remote, never by force",
        "pr": "What a reviewer of this branch should know, as a comment",
    },
    "set-up": {
        "uninstall": "Take it all out again, byte for byte",
        "doctor": "Check hooks, notes and local state, and say what to do",
        "pause": "Read and store nothing until resume",
        "resume": "Go on after pause; nothing of the time between is read",
        "completion": "The completion script of a shell: bash, zsh, fish",
    },
    "protecting": {
        "redact": "Take the secrets out of a text, or look for some in what is stored",
    },
    "sealing": {
        "keys": "Your own keys: what is sealed for you opens with them",
        "recipients": "Who else may read sealed thinking",
        "seal": "Seal thinking that was stored in clear",
        "rewrap": "Let today's readers open what is sealed",
        "reseal": "Seal anew, for today's readers alone",
    },
    "by hand": {
        "import": "Take in session files, also from elsewhere or through a pipe",
        "link": "Put a session's trajectory onto a commit",
        "unlink": "Take a trajectory off a commit",
        "forget": "Take a trajectory or a session off every commit, for ever",
        "repair": "Bring records to where rewritten commits are now",
        "carry": "Copy the records of commits to the one that they became, by hand",
    },
}
"""Name and description by group. The command ``log`` is ``gittraj.cli.log.command``."""
