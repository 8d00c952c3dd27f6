"""OpenHands: its events, its store, its costs."""
