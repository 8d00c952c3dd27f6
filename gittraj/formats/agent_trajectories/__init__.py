"""agent-trajectories (npm ``agent-trajectories``, command ``trail``): its JSON, Markdown and SQLite files."""
