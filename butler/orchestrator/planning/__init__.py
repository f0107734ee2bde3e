"""From the owner's words to a plan: what planners are given, the planners, and what they may answer."""
