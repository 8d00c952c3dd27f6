"""Every command that exists, in the order in which ``git traj -h`` shows them."""

from __future__ import annotations

COMMANDS: dict[str, dict[str, str]] = {
    "what people need": {
        "install": "Set up this repository: hooks and the fetch refspec",
        "status": "What is captured here, what waits, what is in force",
        "log": "Commits that carry a trajectory, and why they were made",
        "show": "Everything known of a commit's trajectories, or of one trajectory",
    },
    "set-up": {
        "uninstall": "Take it all out again, byte for byte",
        "doctor": "Check hooks, notes and local state, and say what to do",
        "pause": "Read and store nothing until resume",
        "resume": "Go on after pause; nothing of the time between is read",
    },
    "by hand": {
        "link": "Put a session's trajectory onto a commit",
        "unlink": "Take a trajectory off a commit",
    },
}
"""By group: name and one line. A command ``log`` is ``gittraj.cli.log.command``."""
