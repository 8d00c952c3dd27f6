"""Reads OpenHands' exported events and its store."""
