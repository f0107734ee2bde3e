"""Finds the things that a request means, among those shown or spoken of."""
