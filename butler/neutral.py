"""A context that is the same for every owner: texts in English, and clocks in UTC.

Words that are stored and compared later are made in it, so that they outlive a change of the owner's language or zone.
"""

from collections.abc import Generator
from contextlib import contextmanager
from contextvars import ContextVar

from butler.contract.speech import english

_neutral: ContextVar[bool] = ContextVar("neutral", default=False)


@contextmanager
def neutral() -> Generator[None]:
    """Within this context, make texts in English, with the owner's zone as UTC."""
    token = _neutral.set(True)
    try:
        with english():
            yield
    finally:
        _neutral.reset(token)


def is_neutral() -> bool:
    """Return whether words are made to be compared, and not to be read."""
    return _neutral.get()
