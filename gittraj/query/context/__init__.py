"""What the next one to change a file should know."""
