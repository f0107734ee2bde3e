"""A store that kills the process at a chosen write."""

from collections.abc import Callable
from typing import TypeVar

import sqlalchemy as sa

from butler.store.store import Store
from tests.approvals.second_channel import Killed

T = TypeVar("T")


class CrashingStore(Store):
    """A store that dies before or after its n-th write, as a killed process would."""

    left = -1
    after = False
    count = 0

    async def write(self, work: Callable[[sa.Connection], T], label: str = "") -> T:
        self.count += 1
        self.left -= 1
        if self.left == 0 and not self.after:
            raise Killed
        result = await super().write(work, label)
        if self.left == 0:
            raise Killed
        return result
