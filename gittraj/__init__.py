"""git-traj keeps the reasoning of AI agents in git notes, next to the commits that it led to.

How data flows::

    agent's session log ─formats▶ Trajectory ─redact▶ Trajectory ─seal▶ Trajectory ─codec▶ bytes ─notes▶ refs/notes/traj
     terminal · markdown · html · json ◀─render── Trajectory ◀─unseal── codec ◀──────────────────────┤
     PR comment (github_action) · other formats · task systems ◀─ the same Trajectory                └▶ index (disposable)

The contract in one line: **read → link to a commit → redact → seal → write**. ``record/pipeline`` is the only
code that writes new work. ``notes/recovery`` (overwritten records), ``sync/join`` (a remote's records) and
``sync/purge_merge`` (purges) write unions of what is stored already, or less of it. All of them move refs with
``notes/refs.move_ref``, the only code that moves one of git-traj's refs.

The rooms, from the top; imports go down only (``tests/floors.py`` is the list, a test enforces it)::

    github_action the pull request bot: activity, comment, gate, outputs
    --------------
    cli           git traj VERB is VERB.py: parses, calls, prints; common/ is what verbs share
    api           gittraj.Trajectories, for Python programs
    testing       the contract of a plug-in, for its author's tests
    precommit     the pre-commit hook's process: redacts what is staged
    --------------
    commands      what a verb does: install, doctor, backfill, link, record, purge, export ...
    gather        records of many repositories in one engine: DuckDB, PostgreSQL, Parquet
    worker        the process that a hook starts: drain, index, push
    --------------
    summarizer    asks the user's own program for summaries; checks what it quotes
    sync          records to remotes and back: fetch, join, push, consent, rescan before push
    --------------
    index         SQLite derived from the refs, disposable: listings and full-text search
    --------------
    render        text for people: text (terminal), markdown, html, comment (pull request)
    asking        the process that an agent waits for: asks for a retrospective
    --------------
    query         answers from the records: log, show, why, context, stats
    record        builds records: drain (what is new), redact, seal, write notes
    --------------
    agents        live agents: how each is recognised, where its sessions are
    capture       which events belong to which commit, and why
    decisions     decisions that an agent recorded: in blocks, by commands (inferred: events/prose)
    notes         records on commits and monthly segments: store, refs, merge, tree, carry
    redact        removes secrets from text: rules, readers, engine
    seal          thinking encrypted for named readers (age)
    --------------
    config        settings that several rooms read: git config traj.*, .gittraj.yml
    events        computed from events: summaries, test runs, prose, truncation; no side effects
    formats       a module or folder per format: bytes of a session in, items out, and back
    history       what rewritten commits became if no hook reported it: rebase, squash, pick
    state         everything in .git/traj: cursors, spool, locks
    tasks         beads, GitHub, Linear, Jira
    --------------
    plugins       what other packages and programs add, by the names in the user's configuration
    --------------
    git           git itself: objects, refs, reflogs, blame; libgit2 or plumbing
    model         the data types that all rooms share, and their JSON
    --------------
    errors        every error that is raised on purpose
    frozen        dataclasses that are quick to import
    limits        how much is read at most of data that others wrote
    startup       what keeps startup short: names imported when they are used, a light SHA-256
"""

__version__ = "0.1.0"


def __getattr__(name: str) -> object:
    """Import ``gittraj.Trajectories`` when it is used: a hook must not wait for it."""
    if name == "Trajectories":
        from gittraj.api import Trajectories

        return Trajectories
    raise AttributeError(f"module 'gittraj' has no attribute '{name}'")
