"""Whether a mail is by whom it claims to be: DKIM, ARC, Authentication-Results, DNS."""
