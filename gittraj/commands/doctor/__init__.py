"""Inspects git-traj in a repository: gathers the facts that ``status`` shows, and the problems that
``doctor`` reports with their remedies. Only a finding's own ``fix`` changes anything.
"""
