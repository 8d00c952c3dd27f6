"""Finds and describes the commits that a listing shows."""
