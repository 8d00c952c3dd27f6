"""Thinking, sealed for named readers. ``age`` is the format and its keys: it does not know trajectories.

- ``events`` chooses what is sealed; ``seal`` encrypts it; ``policy`` does both for a repository and its user.
- ``readers`` finds for whom, ``listing`` changes a team's list of them, ``github`` finds their keys.
- ``identities`` finds the user's own keys, to open a seal.
"""
