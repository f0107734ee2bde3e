"""One reading of MIME: a mail taken apart into its headers and parts, and the text of their bytes."""
