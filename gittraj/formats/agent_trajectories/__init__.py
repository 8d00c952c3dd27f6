"""agent-trajectories (npm ``agent-trajectories``, command ``trail``): its JSON, and its Markdown."""
