"""Finds out what a shell call ran (tests, a build, a type check or a linter), and the result. Pure.

:mod:`.shell` parses the command line, :mod:`.statuses` works out which exit statuses agree with the output,
:mod:`.summaries` reads the output by the table ``runners.toml``, and :mod:`.reader` combines their results.
"""
