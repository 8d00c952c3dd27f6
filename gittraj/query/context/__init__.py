"""What the next author of a file should know."""
