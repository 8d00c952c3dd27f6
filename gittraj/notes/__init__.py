"""Records on commits (``refs/notes/traj``) and the monthly data refs.

``refs`` is the only code that moves one of our refs. These call its ``move_ref``, a compare-and-swap:

- ``store``: ``NotesRef.write``, ``DataRefs.add`` and ``DataRefs.forget`` for ``record.batch``, which writes
  new work, ``DataRefs.write`` for ``commands.purge``, which adds the cleaned copies of segments.
- ``recovery``: brings back what a writer that does not compare overwrote, and a ref that was deleted.
- ``sync.join``: the union of a remote's records or segments and ours.
- ``sync.purge_merge``: that union where one side was purged, and a purge itself.

``sync.transfer``, ``sync.traces`` and ``commands.install.uninstall`` set and delete the copies of a
remote's refs (``refs/notes-remote``); ``git fetch`` writes them, too. ``commands.doctor``
restores a ref that git cannot read.

``tree`` changes trees, ``merge`` and ``join_trees`` unite notes, ``carry`` copies them to rewritten commits,
``epoch`` lists what was purged. ``unpushed`` amends the last commit while nobody else has it;
``unjoined`` finds remotes whose records are not in ours, ``remotes`` which of those records are shown.
"""
