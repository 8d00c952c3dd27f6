"""Figures over many commits."""
