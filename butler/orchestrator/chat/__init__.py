"""Requests and files that the owner sends in the chat."""
