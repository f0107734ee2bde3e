"""Butler, a personal butler for one person."""

import os

# NumPy's threads spin while they wait for one another: with two of them, reading a sentence took three times the CPU.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
