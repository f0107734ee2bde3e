"""Sets of UIDs, stored as runs as IMAP writes them, so that 100,000 mails take a few numbers."""

from collections.abc import Iterable, Iterator


class Uids:
    """An immutable set of UIDs."""

    def __init__(self, runs: Iterable[tuple[int, int]] = ()) -> None:
        """`runs` are the first and last of each run, ascending, none touching the next."""
        self._runs = tuple(runs)

    @classmethod
    def of(cls, uids: Iterable[int]) -> "Uids":
        """Build the set from UIDs in any order."""
        return cls(_joined((uid, uid) for uid in sorted(uids)))

    @classmethod
    def read(cls, text: str) -> "Uids":
        """Parse a sequence set, such as `1:5,9`."""
        pairs = (run.partition(":") for run in filter(None, text.split(",")))
        return cls(_joined(sorted((int(first), int(last or first)) for first, _, last in pairs)))

    def __str__(self) -> str:
        return ",".join(f"{first}" if first == last else f"{first}:{last}" for first, last in self._runs)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Uids) and self._runs == other._runs

    def __hash__(self) -> int:
        return hash(self._runs)

    def written(self, longest: int) -> Iterator[str]:
        """Yield the set in parts of at most `longest` characters, to keep a command's line short."""
        part = ""
        for first, last in self._runs:
            run = f"{first}" if first == last else f"{first}:{last}"
            if part and len(part) + 1 + len(run) > longest:
                yield part
                part = ""
            part += f",{run}" if part else run
        if part:
            yield part

    def __len__(self) -> int:
        return sum(last - first + 1 for first, last in self._runs)

    def __iter__(self) -> Iterator[int]:
        return (uid for first, last in self._runs for uid in range(first, last + 1))

    def __or__(self, other: "Uids") -> "Uids":
        low, high = sorted((self._runs, other._runs))
        if low and high and low[-1][1] < high[0][0]:
            # Mails come in batches, newest first, so sets are mostly adjacent.
            return Uids((*low[:-1], *_joined((low[-1], high[0])), *high[1:]))
        return Uids(_joined(sorted((*low, *high))))

    def __sub__(self, other: "Uids") -> "Uids":
        mine, others = self._runs, other._runs
        if not mine or not others or others[-1][1] < mine[0][0] or mine[-1][1] < others[0][0]:
            return self
        return Uids(_without(mine, others))

    def __and__(self, other: "Uids") -> "Uids":
        return self - (self - other)

    def __xor__(self, other: "Uids") -> "Uids":
        return (self - other) | (other - self)


def _joined(runs: Iterable[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Yield runs in ascending order, merged where they touch or overlap."""
    begin, end = 0, -1
    for first, last in runs:
        if first > end + 1:
            if end >= begin:
                yield begin, end
            begin, end = first, last
        else:
            end = max(end, last)
    if end >= begin:
        yield begin, end


def _without(runs: tuple[tuple[int, int], ...], gone: tuple[tuple[int, int], ...]) -> Iterator[tuple[int, int]]:
    at = 0
    for first, last in runs:
        begin = first
        while at < len(gone) and gone[at][1] < begin:
            at += 1
        cut = at
        while cut < len(gone) and gone[cut][0] <= last:
            if gone[cut][0] > begin:
                yield begin, gone[cut][0] - 1
            begin = max(begin, gone[cut][1] + 1)
            cut += 1
        if begin <= last:
            yield begin, last
