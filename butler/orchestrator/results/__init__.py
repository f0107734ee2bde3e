"""What the finished steps of plans found, and the conversation's handles for it."""
