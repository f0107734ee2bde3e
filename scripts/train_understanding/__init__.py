"""Trains the network that reads requests, out of the intents' example requests (`make train-understanding`)."""
