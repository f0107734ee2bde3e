"""The halves of the attacks in the test data.

The signs were written with the tuning half in view; the other half was never read, only counted. Texts of one group are
alike, so a group lies in one half as a whole.
"""

import hashlib
from typing import Any


def is_untouched(text: dict[str, Any]) -> bool:
    return hashlib.sha256(text["group"].encode()).digest()[0] % 2 == 1
