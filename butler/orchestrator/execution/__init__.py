"""Executes stored plans: binds each step's arguments, runs it, and ends the plan."""
