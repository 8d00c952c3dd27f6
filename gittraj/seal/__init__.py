"""Thinking, sealed for named readers. ``age`` is the format and its keys: it knows of no trajectories."""
