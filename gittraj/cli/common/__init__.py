"""What several commands share: options, output, the repository. A file of ``cli`` itself is a command."""
