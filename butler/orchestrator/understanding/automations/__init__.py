"""Requests for what is to be done later, whenever something comes."""
