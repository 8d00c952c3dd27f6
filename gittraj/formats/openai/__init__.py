"""Reads OpenAI's messages: lists of them, training data, and messages inside other agents' logs."""
