"""Removes a secret, or a trajectory, from the refs with all of their history, and from what this clone made
of them.

``search`` finds the versions of our refs that have it, ``work`` rewrites the refs without it. It must not
touch what is not ours, nor use the network.
"""
