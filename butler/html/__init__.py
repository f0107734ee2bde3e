"""Which text of an HTML page or mail a person sees."""
