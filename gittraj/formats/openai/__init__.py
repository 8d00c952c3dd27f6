"""OpenAI's messages: as lists, as training data, and inside other agents' logs."""
