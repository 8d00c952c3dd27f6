"""Computes statistics over many commits."""
