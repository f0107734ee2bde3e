"""How a server is: what its metrics and its logs say together, for the modules of both."""
