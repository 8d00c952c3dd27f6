"""How git-traj fares in a repository: what ``status`` shows, and what ``doctor`` finds wrong.

It looks, and says what to do. Only a finding's own ``fix`` changes anything, and never a note.
"""
