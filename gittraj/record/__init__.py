"""The composer: redact, seal, write; and the drain, which feeds it.

Nothing else writes a note for new work.
"""
