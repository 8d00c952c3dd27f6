"""Thinking, sealed for named readers. ``age`` is the format and its keys: it knows of no trajectories.

- ``events`` chooses what is sealed; ``seal`` encrypts it; ``policy`` says how a repository wants it.
- ``readers`` says for whom, ``listing`` changes a team's list of them, ``github`` finds their keys.
- ``identities`` finds the user's own keys, to open a seal.
"""
