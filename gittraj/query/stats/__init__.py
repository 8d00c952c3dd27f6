"""Statistics over many commits."""
