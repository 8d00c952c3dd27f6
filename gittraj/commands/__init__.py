"""What the commands do, one module per command: typed functions for the command line, the API and hooks.

Nothing here parses arguments or prints.
"""
