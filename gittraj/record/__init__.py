"""The composer: redact, seal, write; and the drain, which feeds it.

Nothing else writes a note for new work.

- ``pipeline`` is the composer; ``draft`` has what goes in and comes out.
- ``encode`` makes records and segments, ``batch`` writes them.
- ``add_later`` records what is said of a trajectory after it was stored, ``rewrite_segments`` scans stored
  parts again.
- ``drain`` finds what is new.
"""
