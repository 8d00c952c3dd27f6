"""Records on commits (``refs/notes/traj``) and the monthly data refs.

``refs`` is the only code that moves one of git-traj's refs. These callers use its ``move_ref``, a
compare-and-swap:

- ``store``: ``NotesRef.write``, ``DataRefs.add`` and ``DataRefs.forget`` for ``record.batch``, which writes
  new work, ``DataRefs.write`` for ``commands.purge``, which adds the cleaned copies of segments.
- ``recovery``: restores records that a writer without compare-and-swap overwrote, and refs that were deleted.
- ``sync.join``: writes the union of this clone's records or segments and a remote's.
- ``sync.purge_merge``: writes that union if one side was purged, and carries out a purge.

``sync.transfer``, ``sync.traces`` and ``commands.install.uninstall`` set and delete the copies of a
remote's refs (``refs/notes-remote``); ``git fetch`` writes them, too. ``commands.doctor``
restores a ref that git cannot read.

``tree`` changes trees, ``merge`` and ``join_trees`` unite notes, ``carry`` copies them to rewritten commits,
``epoch`` lists what was purged. ``unpushed`` amends the last commit while nobody else has it;
``unjoined`` finds remotes whose records are not joined yet, and ``remotes`` decides which of them are shown.
"""
