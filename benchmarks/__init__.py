"""Measures what git-traj costs. ``python -m benchmarks`` runs everything here and prints one table."""
