"""Computes from a trajectory's events: summaries, truncation, inferred decisions, sensitive output. Pure.

No module of this package reads a file or knows where events came from.
"""
