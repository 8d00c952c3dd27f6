"""What git-traj costs. ``python -m benchmarks`` measures everything on this machine and prints one table."""
