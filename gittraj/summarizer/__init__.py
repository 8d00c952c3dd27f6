"""Gets summaries of records from the user's own program: ``git config traj.summarizer COMMAND``.

The program gets redacted text, and returns a text that quotes the events that it is based on; a quote that an
event does not contain is rejected. The program must not know about the repository or run under the drain's
lock, and only the user's own configuration may name it.
"""
