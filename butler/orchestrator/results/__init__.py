"""What the finished steps of plans found, and the handles by which the conversation speaks of it."""
