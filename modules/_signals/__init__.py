"""Reports the state of servers from metrics and logs together, for the modules of both."""
