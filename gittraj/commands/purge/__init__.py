"""Takes a secret, or a trajectory, out of the refs with all of their history, and out of what this clone made
of them.

``search`` (which versions of our refs have it), ``work`` (the refs without it). It must not touch
what is not ours, nor go over the network.
"""
