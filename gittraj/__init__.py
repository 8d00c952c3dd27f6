"""git-traj keeps the reasoning of AI agents in git notes, beside the commits it produced.

How data flows::

    agent's session log ─formats▶ Trajectory ─redact▶ Trajectory ─seal▶ Trajectory ─codec▶ bytes ─notes▶ refs/notes/traj
     terminal · markdown · html · json ◀─render── Trajectory ◀─unseal── codec ◀──────────────────────┤
     PR comment (github_action) · other formats · task systems ◀─ the same Trajectory                └▶ index (disposable)

The contract in one line: **read → link to a commit → redact → seal → write**, in one place
(``pipeline``), and no other code writes a note.
"""

__version__ = "0.1.0"


def __getattr__(name: str) -> object:
    """``gittraj.Trajectories``, and nothing that a hook would wait for."""
    if name == "Trajectories":
        from gittraj.api import Trajectories

        return Trajectories
    raise AttributeError(f"module 'gittraj' has no attribute '{name}'")
