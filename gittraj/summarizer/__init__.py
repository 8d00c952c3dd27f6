"""Asks a program of the user's own for a summary of what is recorded: ``git config traj.summarizer COMMAND``.

The program gets redacted text, and gives back text that names what it rests on; what does not stand there is
refused. It must not learn of the repository, hold the drain's lock, or be named by anything but the user's
own configuration.
"""
