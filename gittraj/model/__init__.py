"""The values that all packages share: trajectories, events, records, session items. No I/O."""
