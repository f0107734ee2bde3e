"""The order in which a suite is worked off by several processes: what takes long is begun first, by each of them."""

from collections.abc import Callable, Sequence
from itertools import islice
from typing import TypeVar

T = TypeVar("T")


def deal(items: Sequence[T], is_long: Callable[[T], bool], workers: int) -> list[T]:
    """The same items, the long ones dealt out over the heads of the contiguous shares that the workers begin with.

    The shares are those of `--dist worksteal`: as many items as are left over the workers that are left.
    """
    longs = [item for item in items if is_long(item)]
    shorts = iter([item for item in items if not is_long(item)])
    dealt: list[T] = []
    for worker in range(workers):
        share = (len(items) - len(dealt)) // (workers - worker)
        own = longs[worker::workers]
        dealt += own
        dealt += islice(shorts, max(0, share - len(own)))
    return [*dealt, *shorts]
