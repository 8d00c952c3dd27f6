"""Asks a program of the user's own for a summary of what is recorded: ``git config traj.summarizer COMMAND``.

The program gets redacted text, and returns text that quotes the events on which it is based; what they do not
contain is rejected. It must not know about the repository, hold the drain's lock, or be named by anything but
the user's own configuration.
"""
