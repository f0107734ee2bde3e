"""Builds requests for acts that happen later, whenever a trigger comes."""
