"""What the commands do, one verb in one place: typed functions that the command line, the API and hooks call.

Nothing here parses arguments or prints.
"""
