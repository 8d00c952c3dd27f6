"""The values that every room speaks of: trajectories, events, records, session items. No I/O."""
