"""How git-traj fares in a repository: what ``status`` shows, and what ``doctor`` finds wrong.

It looks, and says what to do. Nothing is mended but by a finding's own ``fix``.
"""
