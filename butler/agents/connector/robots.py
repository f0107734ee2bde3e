"""A site's rules for programs that follow links; a page that the owner named is read regardless."""

import asyncio
from dataclasses import dataclass, field
from pathlib import Path

from butler.agents.connector.failures import NotFetchedError
from butler.agents.connector.robots_rules import Rules, rules_for
from butler.agents.connector.web_address import Target, target_of
from butler.agents.connector.web_client import AGENT_TOKEN
from butler.agents.connector.web_pages import Pages
from butler.contract.errors import Retryable

_LARGEST = 512 * 1024
_LONGEST_GAP_S = 5.0
_SERVER_ERROR = 500


@dataclass(frozen=True, slots=True)
class Robots:
    """The rules of one origin. Without rules everything may be read; if they were unavailable, nothing."""

    rules: Rules = field(default_factory=Rules)
    closed: bool = False

    def may_read(self, target: Target) -> bool:
        """Return whether the address may be read. Blocking: a site may have thousands of rules."""
        return not self.closed and self.rules.may_read(target.url.raw_path_qs)

    @property
    def gap_s(self) -> float:
        """Seconds between two requests that the site asks for, within reason."""
        return min(self.rules.delay_s, _LONGEST_GAP_S)


async def robots_of(start: Target, pages: Pages, into: Path, seconds: float) -> Robots:
    """Fetch the rules of the origin of `start`, like any page.

    If the server fails to deliver them in time, nothing may be read.
    """
    path = into / "robots.part"
    try:
        target = target_of(f"{start.origin}/robots.txt", pages.client.reach, linked_by=start)
        async with asyncio.timeout(seconds), pages.answer(target) as (answer, _):
            if answer.status != 200:  # noqa: PLR2004 - as HTTP counts
                return Robots(closed=answer.status >= _SERVER_ERROR)
            await pages.client.save(answer, path, largest=_LARGEST)
        return await asyncio.to_thread(_read, path)
    except (Retryable, TimeoutError):
        return Robots(closed=True)
    except NotFetchedError:
        return Robots()
    finally:
        path.unlink(missing_ok=True)


def _read(path: Path) -> Robots:
    return Robots(rules_for(AGENT_TOKEN, path.read_text("utf-8-sig", "replace")))
