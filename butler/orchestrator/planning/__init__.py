"""Turns the owner's words into a plan: the input of planners, the planners, and their output."""
