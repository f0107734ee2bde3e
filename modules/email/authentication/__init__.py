"""Proof of a mail's author: DKIM, ARC, Authentication-Results, DNS."""
