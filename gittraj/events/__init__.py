"""Folds over a trajectory's events: summaries, truncation, inferred decisions, sensitive output. Pure.

Nothing here reads a file or knows where events came from.
"""
