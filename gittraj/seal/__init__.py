"""Seals thinking, that is, encrypts it for named readers. ``age`` implements the format and its keys, and
knows nothing of trajectories.

- ``events`` chooses what is sealed; ``seal`` encrypts it; ``policy`` does both for a repository and its user.
- ``readers`` finds the readers, ``listing`` changes a team's list of them, ``github`` fetches their keys.
- ``identities`` finds the user's own keys, to open a seal.
"""
