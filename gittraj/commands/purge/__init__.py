"""Removes a secret or a trajectory from git-traj's refs with all of their history, and from the data that
this clone derived from them.

``search`` finds the versions of the refs that contain it, ``work`` rewrites the refs without it. This package
must not change any other ref, nor use the network.
"""
