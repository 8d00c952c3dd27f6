"""Implements the commands, one module per command, as typed functions for the command line, the API and
hooks.

No module here parses arguments or prints.
"""
