"""Surroundings that are the same for everybody and always: English, and the clocks of UTC.

Stored words that are compared later are made in them, so that they outlive a change of the owner's language or zone.
They hold within the context manager only.
"""

from collections.abc import Generator
from contextlib import contextmanager
from contextvars import ContextVar

from butler.contract.speech import english

_neutral: ContextVar[bool] = ContextVar("neutral", default=False)


@contextmanager
def neutral() -> Generator[None]:
    """Within this all is said in English, and the person's zone is UTC."""
    token = _neutral.set(True)
    try:
        with english():
            yield
    finally:
        _neutral.reset(token)


def is_neutral() -> bool:
    """Whether this is worded to be compared, and not to be read."""
    return _neutral.get()
