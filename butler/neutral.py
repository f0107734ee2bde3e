"""Surroundings that are the same for everybody and always: English, and the clocks of UTC.

What is kept to be compared is worded in them, so that it outlives a change of the language or the zone in which the
owner is told of it. Whatever is within is worded so, and nobody else.
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
