"""Words the texts to be sent, also if the owner only told about them."""
