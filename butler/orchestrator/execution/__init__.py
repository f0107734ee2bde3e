"""Carries stored plans out: binds each step's arguments, runs it, and ends the plan."""
