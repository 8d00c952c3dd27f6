"""The composer, which redacts, seals and writes; and the drain, which feeds it.

Nothing else writes a note for new work.

- ``pipeline`` is the composer; ``draft`` defines its input and output.
- ``encode`` makes records and segments, ``batch`` writes them.
- ``add_later`` records statements about a trajectory that is stored already, ``rewrite_segments`` scans
  stored parts again.
- ``drain`` finds what is new.
- ``worker_process`` ends the processes that redact for backfill and gather.
"""
