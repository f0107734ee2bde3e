"""Fetches pages and files of the web: a single one, or a page with the pages that it links to on its own site."""

import asyncio
import ssl
import time
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path

from butler.agents.connector.credentials import Credential, Credentials
from butler.agents.connector.failures import NotFetchedError
from butler.agents.connector.links import links_of
from butler.agents.connector.rate_limit import HostRateLimiter
from butler.agents.connector.robots import Robots, robots_of
from butler.agents.connector.web_address import Reach, Target, target_of
from butler.agents.connector.web_client import WebClient
from butler.agents.connector.web_pages import Page, Pages, RedirectScope
from butler.contract.addresses import Resolve, resolve_by_system
from butler.contract.agents import AgentFailure, ConnectorInput, ConnectorOutput
from butler.contract.errors import Retryable
from butler.contract.ports import Vault
from butler.contract.speech import say, say_many
from config.agents import ConnectorSettings

GAP_S = 0.5
"""Seconds between two requests to one host."""
RECURSIVE_TIMES = 4
"""The time limit of a recursive fetch, in multiples of that of one fetch."""
_MOST_TOLD = 30
_LONGEST_SHOWN = 200
"""Characters of an address shown in a sentence."""


class WebFetcher:
    """Implements `SourceFetcher` for `web`. Building one opens no connection."""

    source_type = "web"

    def __init__(
        self,
        settings: ConnectorSettings,
        vault: Vault,
        *,
        resolve: Resolve = resolve_by_system,
        reach: Reach | None = None,
        tls: ssl.SSLContext | None = None,
        gap_s: float = GAP_S,
    ) -> None:
        """`resolve`, `reach`, `tls` and `gap_s` are for tests with their own server. Raises `ConfigError`."""
        self._settings = settings
        self._reach = reach or Reach.of(settings.private_hosts)
        self._credentials = Credentials(settings.credentials, vault, self._reach)
        largest = settings.largest_mb * 1024 * 1024
        self._pages = Pages(WebClient(self._reach, resolve, HostRateLimiter(gap_s), largest, tls))

    async def fetch(self, given: ConnectorInput, into: Path) -> ConnectorOutput | AgentFailure:
        try:
            target = target_of(given.source_identifier, self._reach)
            name = given.credentials_id
            # The owner named this server, so the credentials configured for it are meant.
            credential = self._credentials.named(name, target) if name else self._credentials.of(target)
            if not given.recursive:
                return (await self._pages.fetch(target, into, 0, credential)).output
            return await Crawl(self._pages, self._settings, into, credential).run(target)
        except NotFetchedError as error:
            return error.failure()


@dataclass(slots=True)
class Crawl:
    """One breadth-first walk over a site, in the order of its links, within its origin."""

    pages: Pages
    settings: ConnectorSettings
    into: Path
    credential: Credential | None
    robots: Robots = field(default_factory=Robots)
    found: list[Page] = field(default_factory=list[Page])
    skipped: list[str] = field(default_factory=list[str])
    known: set[str] = field(default_factory=set[str])
    """Visited addresses, in every spelling."""
    numbers: Iterator[int] = field(default_factory=count)
    """Counts files."""
    contents: set[str] = field(default_factory=set[str])

    async def run(self, target: Target) -> ConnectorOutput:
        """Fetch the page, with the others as its children. Raise as `Pages.fetch` for the page itself."""
        ends = time.monotonic() + self.settings.timeout_s * (RECURSIVE_TIMES - 1)
        async with asyncio.timeout(self.settings.timeout_s):
            start = await self.pages.fetch(target, self.into, next(self.numbers), self.credential)
        self.known |= {str(target.url), str(start.target.url)}
        self._keep(start)
        self.robots = await robots_of(start.target, self.pages, self.into, self.settings.timeout_s)
        if self.robots.closed:
            self._skip(
                say(
                    "{host} does not say now what programs may read, so only the page itself was",
                    host=start.target.shown,
                )
            )
        waiting = deque((link, 1) for link in await self._links(start, 0))
        while waiting:
            if why := self._full(ends):
                self._skip(
                    say_many(
                        len(waiting),
                        "1 further link was not followed: {why}",
                        "{count} further links were not followed: {why}",
                        why=why,
                    )
                )
                break
            link, depth = waiting.popleft()
            if (page := await self._follow(link, start.target)) is not None:
                self._keep(page)
                waiting.extend((further, depth + 1) for further in await self._links(page, depth))
        children = [page.output for page in self.found[1:]]
        return start.output.model_copy(update={"children": children, "skipped": self.skipped})

    def _full(self, ends: float) -> str:
        if len(self.found) >= self.settings.most_pages:
            return say(
                "at most {count} pages are read at once (most_pages in [connector])", count=self.settings.most_pages
            )
        return say("it took too long") if time.monotonic() > ends else ""

    def _keep(self, page: Page) -> None:
        self.found.append(page)
        self.contents.add(page.output.checksum)

    async def _links(self, page: Page, depth: int) -> Sequence[str]:
        """Return the page's links on its own site that were not visited yet."""
        if page.file_type != "html" or depth >= self.settings.depth or self.robots.closed:
            return ()
        return await asyncio.to_thread(self._new_links, page)

    def _new_links(self, page: Page) -> list[str]:
        path, base = Path(page.output.file_path), str(page.target.url)
        links: list[str] = []
        for text in links_of(path, base, page.charset):
            try:
                link = target_of(text, self.pages.client.reach, linked_by=page.target)
            except NotFetchedError:
                continue  # no web address that may be requested: nobody asked for it
            url = str(link.url)
            if link.origin == page.target.origin and url not in self.known:
                self.known.add(url)
                links.append(url)
        return links

    async def _follow(self, url: str, start: Target) -> Page | None:
        target = target_of(url, self.pages.client.reach, linked_by=start)
        if not await asyncio.to_thread(self.robots.may_read, target):
            self._skip(say("{page}: the site asks programs not to read it", page=_shown(url)))
            return None
        try:
            async with asyncio.timeout(self.settings.timeout_s):
                page = await self.pages.fetch(
                    target,
                    self.into,
                    next(self.numbers),
                    self.credential,
                    within=RedirectScope(start.origin, self.robots.may_read),
                    gap_s=self.robots.gap_s,
                )
        except NotFetchedError as error:
            self._skip(f"{_shown(url)}: {error.message}")
        except Retryable as error:
            self._skip(f"{_shown(url)}: {error.detail}")
        except TimeoutError:
            self._skip(
                say(
                    "{page}: it took longer than {seconds:g} seconds", page=_shown(url), seconds=self.settings.timeout_s
                )
            )
        else:
            if page.output.checksum not in self.contents:
                self.known.add(str(page.target.url))
                return page
        return None

    def _skip(self, sentence: str) -> None:
        if len(self.skipped) < _MOST_TOLD:
            self.skipped.append(sentence)
        elif len(self.skipped) == _MOST_TOLD:
            self.skipped.append(say("and more that was not read for such reasons"))


def _shown(url: str) -> str:
    return url if len(url) <= _LONGEST_SHOWN else f"{url[: _LONGEST_SHOWN - 1]}…"
