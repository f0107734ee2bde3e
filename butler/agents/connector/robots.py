"""What a site asks of programs that follow its links (RFC 9309); a page that its owner named is read all the same."""

from dataclasses import dataclass
from pathlib import Path
from urllib.robotparser import RobotFileParser

from butler.agents.connector.failures import NotFetchedError
from butler.agents.connector.web_address import Target, target_of
from butler.agents.connector.web_client import AGENT_TOKEN
from butler.agents.connector.web_pages import Pages
from butler.contract.errors import Retryable

_LARGEST = 512 * 1024
_LONGEST_GAP_S = 5.0
_SERVER_ERROR = 500


@dataclass(frozen=True, slots=True)
class Robots:
    """The rules of one origin; without any, everything may be read, or nothing where they could not be had."""

    rules: RobotFileParser | None = None
    closed: bool = False

    def may_read(self, url: str) -> bool:
        return not self.closed and (self.rules is None or self.rules.can_fetch(AGENT_TOKEN, url))

    @property
    def gap_s(self) -> float:
        """Seconds between two requests, as the site asks for, within reason."""
        asked = self.rules.crawl_delay(AGENT_TOKEN) if self.rules else None
        return min(float(asked or 0), _LONGEST_GAP_S)


async def robots_of(start: Target, pages: Pages, into: Path) -> Robots:
    """The rules of the origin of `start`, fetched as any page. Where the server cannot give them, all is closed."""
    path = into / "robots.part"
    try:
        target = target_of(f"{start.origin}/robots.txt", pages.client.reach, linked_by=start)
        async with pages.answer(target) as (answer, _):
            if answer.status != 200:  # noqa: PLR2004 - as HTTP counts
                return Robots(closed=answer.status >= _SERVER_ERROR)
            await pages.client.save(answer, path, largest=_LARGEST)
        rules = RobotFileParser()
        rules.parse(path.read_text("utf-8-sig", "replace").splitlines())
        return Robots(rules)
    except Retryable:
        return Robots(closed=True)
    except NotFetchedError:
        return Robots()
    finally:
        path.unlink(missing_ok=True)
