"""Code shared by several commands: options, output, the repository. A file of ``cli`` itself is a command."""
