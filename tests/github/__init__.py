"""A GitHub on this machine, checked against GitHub's own description of its API. See ``server``."""
