"""The condition of git-traj in a repository: what ``status`` shows, and what ``doctor`` finds wrong.

It inspects, and says what to do. Nothing is changed except by a finding's own ``fix``.
"""
