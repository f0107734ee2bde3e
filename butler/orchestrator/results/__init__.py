"""Reads what the finished steps of plans found, and names it with the conversation's handles."""
