"""A version of an adapter's contract."""

from dataclasses import dataclass
from functools import total_ordering
from typing import Self

from butler.adapters.errors import ContractFileError
from butler.contract.adapters import SEMVER


@total_ordering
@dataclass(frozen=True, slots=True)
class Version:
    """MAJOR.MINOR.PATCH."""

    major: int
    minor: int
    patch: int

    @classmethod
    def parse(cls, text: str) -> Self:
        """Parse a version. Raises `ContractFileError` for an invalid one."""
        match = SEMVER.fullmatch(text)
        if match is None:
            raise ContractFileError(f"{text!r} is no version; a version reads like 1.0.0")
        return cls(*map(int, match.groups()))

    def __lt__(self, other: "Version") -> bool:
        return (self.major, self.minor, self.patch) < (other.major, other.minor, other.patch)

    def __str__(self) -> str:
        return f"{self.major}.{self.minor}.{self.patch}"

    def serves(self, wanted: "Version") -> bool:
        """Return whether a tool made for `wanted` works with this version: the same MAJOR, and nothing newer."""
        return self.major == wanted.major and (self.minor, self.patch) >= (wanted.minor, wanted.patch)
