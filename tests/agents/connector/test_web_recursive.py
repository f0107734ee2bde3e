# ruff: noqa: ASYNC240 - a test may wait for a small file
"""A page with what it links to: never off its site, within the caps, as the site asks; what is left out is told."""

import asyncio
import time
from pathlib import Path

import pytest

from butler.contract.agents import AgentFailure, ConnectorInput, ConnectorOutput
from config.agents import ConnectorSettings, CredentialKind, PageCredentials
from tests.agents.connector.site import Site, answer, connector, page, redirect

SETTINGS = ConnectorSettings(timeout_s=5, most_pages=5, depth=2)


async def read(site: Site, folder: Path, settings: ConnectorSettings = SETTINGS, path: str = "/") -> ConnectorOutput:
    folder.mkdir(exist_ok=True)
    given = ConnectorInput(source_type="web", source_identifier=site.url(path), recursive=True)
    result = await site.fetcher(settings).fetch(given, folder)
    assert isinstance(result, ConnectorOutput), result
    return result


def urls(output: ConnectorOutput, site: Site) -> list[str]:
    return [one.source_metadata["url"].removeprefix(site.url("")) for one in (output, *output.children)]


async def test_links_are_followed_breadth_first_in_their_order_and_each_once(site: Site, tmp_path: Path):
    site.pages |= {
        "/": page("start", "/b", "/a", "/b#part", "", "#top", "/"),
        "/b": page("b", "/", "/a", "/c"),
        "/a": page("a", "/d"),
        "/c": page("c"),
        "/d": page("d"),
    }
    for number in range(2):
        output = await read(site, tmp_path / str(number))
        assert urls(output, site) == ["/", "/b", "/a", "/c", "/d"]
        assert output.skipped == []
        files = [Path(one.file_path) for one in (output, *output.children)]
        assert len({path.read_bytes() for path in files}) == 5
    assert site.paths[:6] == ["/", "/robots.txt", "/b", "/a", "/c", "/d"]


async def test_no_other_site_is_touched_however_it_is_linked(site: Site, tmp_path: Path):
    elsewhere = f"http://other.example:{site.port}"
    site.pages |= {
        "/": page(
            "start",
            f"{elsewhere}/",
            f"//other.example:{site.port}/x",
            "http://127.0.0.2/",
            "https://pages.example/",
            "http://sub.pages.example/",
            "file:///etc/passwd",
            "mailto:anna@friends.example",
            "javascript:alert(1)",
            "http://[",
            "/away",
            "/near",
        ),
        "/away": redirect(f"{elsewhere}/secret"),
        "/near": redirect("/there"),
        "/there": page("there"),
    }
    output = await read(site, tmp_path)
    assert urls(output, site) == ["/", "/there"]
    assert output.skipped == [f"{site.url('/away')}: it leads away, to other.example:{site.port}"]
    assert set(site.resolved) == {"pages.example"}


async def test_a_base_of_another_site_makes_its_links_another_sites(site: Site, tmp_path: Path):
    body = (
        b'<!doctype html><base href="http://other.example/"><a href="/x">x</a><a href="http://pages.example:1/">y</a>'
    )
    site.pages["/"] = answer(body)
    assert urls(await read(site, tmp_path), site) == ["/"]
    assert site.paths == ["/", "/robots.txt"]


async def test_depth_and_pages_are_capped_and_the_rest_is_told(site: Site, tmp_path: Path):
    site.pages = {f"/{n}": page(f"page {n}", f"/{n + 1}") for n in range(9)}
    assert urls(await read(site, tmp_path / "deep", path="/0"), site) == ["/0", "/1", "/2"]
    site.pages["/many"] = page("many", *(f"/{n}" for n in range(9)))
    output = await read(site, tmp_path / "wide", path="/many")
    assert urls(output, site) == ["/many", "/0", "/1", "/2", "/3"]
    assert output.skipped == [
        "5 further links were not followed: at most 5 pages are read at once (most_pages in [connector])"
    ]


async def test_a_site_without_an_end_comes_to_an_end(site: Site, tmp_path: Path):
    count = iter(range(10**6))

    async def endless(writer: asyncio.StreamWriter) -> None:
        number = next(count)
        writer.write(page("the same", f"/?{number}a", f"/?{number}b"))

    for number in range(500):
        site.pages[f"/?{number}a"] = site.pages[f"/?{number}b"] = page("the same words", "/?0a", f"/?{number + 1}a")
    site.pages["/"] = endless
    output = await read(site, tmp_path)
    assert len(output.children) <= 4
    assert len(site.requests) < 12


async def test_the_same_page_under_another_address_is_taken_once(site: Site, tmp_path: Path):
    site.pages |= {"/": page("start", "/a", "/b"), "/a": page("same", "/x"), "/b": page("same", "/x"), "/x": page("x")}
    assert urls(await read(site, tmp_path), site) == ["/", "/a", "/x"]


async def test_what_the_site_asks_programs_not_to_read_is_left_and_told(site: Site, tmp_path: Path):
    rules = b"\xef\xbb\xbfUser-agent: *\nDisallow: /\n\nUser-agent: butler\nDisallow: /private\nCrawl-delay: 0.05\n"
    site.pages |= {
        "/private/": page("start", "/private/a", "/open"),
        "/private/a": page("a"),
        "/open": page("open"),
        "/robots.txt": answer(rules, kind="text/plain"),
    }
    output = await read(site, tmp_path, path="/private/")
    assert urls(output, site) == ["/private/", "/open"]
    assert output.skipped == [f"{site.url('/private/a')}: the site asks programs not to read it"]


async def test_without_rules_all_may_be_read_and_without_their_server_nothing_more(site: Site, tmp_path: Path):
    site.pages |= {"/": page("start", "/a"), "/a": page("a")}
    site.pages["/robots.txt"] = answer(b"", "403 Forbidden")
    assert urls(await read(site, tmp_path / "none"), site) == ["/", "/a"]
    site.pages["/robots.txt"] = redirect("http://127.0.0.2/robots.txt")
    assert urls(await read(site, tmp_path / "away"), site) == ["/", "/a"]
    site.pages["/robots.txt"] = answer(b"", "503 Busy")
    output = await read(site, tmp_path / "busy")
    assert urls(output, site) == ["/"]
    assert output.skipped == [
        f"pages.example:{site.port} does not say now what programs may read, so only the page itself was"
    ]


async def test_pages_that_fail_are_told_and_the_others_stay(site: Site, tmp_path: Path):
    async def hangs(_writer: asyncio.StreamWriter) -> None:
        await asyncio.sleep(5)

    site.pages |= {
        "/": page("start", "/gone", "/busy", "/film", "/slow", "/good.pdf"),
        "/busy": answer(b"", "503 Busy"),
        "/film": answer(b"\x00\x01", kind="video/mp4"),
        "/slow": hangs,
        "/good.pdf": answer(b"%PDF-1.7"),
    }
    settings = SETTINGS.model_copy(update={"timeout_s": 0.3})
    output = await read(site, tmp_path, settings)
    assert urls(output, site) == ["/", "/good.pdf"]
    told = "\n".join(output.skipped)
    assert "has no such page (404)" in told
    assert "cannot answer now (503)" in told
    assert "it is video/mp4, which is no page and no document" in told
    assert "it took longer than 0.3 seconds" in told


async def test_credentials_stay_on_their_site_while_it_is_walked(site: Site, tmp_path: Path):
    url = site.url(host="wiki.home.example")
    site.pages |= {"/": page("start", "/a", "/b"), "/a": page("a"), "/b": redirect("/c"), "/c": page("c")}
    wiki = PageCredentials(origin=url, secret_env="WIKI_LOGIN", kind=CredentialKind.HEADER, header="X-Token")
    settings = SETTINGS.model_copy(update={"credentials": {"wiki": wiki}})
    reach = site.reach([f"wiki.home.example:{site.port}"])
    fetcher = site.fetcher(settings, reach=reach, vault={"WIKI_LOGIN": "secret"})
    given = ConnectorInput(source_type="web", source_identifier=url, recursive=True, credentials_id="wiki")
    async with connector(tmp_path, fetcher, SETTINGS).fetched(given) as output:
        assert isinstance(output, ConnectorOutput)
    sent = {path: headers.get("x-token") for path, headers in site.requests}
    assert sent == {"/": "secret", "/robots.txt": None, "/a": "secret", "/b": "secret", "/c": "secret"}


async def test_a_host_is_asked_no_more_often_than_is_polite(site: Site, tmp_path: Path):
    fetcher = site.fetcher(SETTINGS, gap_s=3600)
    given = ConnectorInput(source_type="web", source_identifier=site.url())
    site.pages |= {"/": page("a")}
    (tmp_path / "1").mkdir()
    (tmp_path / "2").mkdir()
    fetches = [asyncio.create_task(fetcher.fetch(given, tmp_path / name)) for name in ("1", "2")]
    done, waiting = await asyncio.wait(fetches, return_when=asyncio.FIRST_COMPLETED)
    assert [isinstance(task.result(), AgentFailure) for task in done] == [False]
    await asyncio.wait(waiting, timeout=0.1)
    assert site.paths.count("/") == 1
    for task in waiting:
        task.cancel()
    await asyncio.wait(waiting)


async def test_rules_that_never_come_cost_no_more_than_the_links(site: Site, tmp_path: Path):
    async def hangs(_writer: asyncio.StreamWriter) -> None:
        await asyncio.sleep(5)

    site.pages |= {"/": page("start", "/a"), "/a": page("a"), "/robots.txt": hangs}
    output = await read(site, tmp_path, SETTINGS.model_copy(update={"timeout_s": 0.3}))
    assert urls(output, site) == ["/"]
    assert "does not say now what programs may read" in output.skipped[0]


async def test_a_redirect_to_what_the_site_asks_programs_not_to_read_is_not_followed(site: Site, tmp_path: Path):
    site.pages |= {
        "/": page("start", "/a"),
        "/a": redirect("/private/a"),
        "/private/a": page("a"),
        "/robots.txt": answer("User-agent: *\nDisallow: /private\n", kind="text/plain"),
    }
    output = await read(site, tmp_path)
    assert urls(output, site) == ["/"]
    assert output.skipped == [f"{site.url('/a')}: it leads to what the site asks programs not to read"]
    assert "/private/a" not in site.paths


@pytest.mark.nightly
async def test_all_else_goes_on_while_thousands_of_links_are_held_against_thousands_of_rules(
    site: Site, tmp_path: Path
):
    rules = "User-agent: *\n" + "Disallow: /*a*a*a*b\n" * 3_000
    path = "/" + "a" * 500
    site.pages |= {
        "/": page("start", *(f"{path}{number}" for number in range(300))),
        "/robots.txt": answer(f"{rules}Disallow: /a\n", kind="text/plain"),
    }
    worst, before = 0.0, time.thread_time()

    async def watches() -> None:
        nonlocal worst, before
        while True:
            await asyncio.sleep(0)
            worst, before = max(worst, time.thread_time() - before), time.thread_time()

    watch = asyncio.create_task(watches())
    output = await read(site, tmp_path)
    watch.cancel()
    assert "the site asks programs not to read it" in output.skipped[0]
    # Of the loop's own processor time, whatever else this machine does.
    assert worst < 0.2


async def test_a_very_long_address_is_told_by_its_beginning(site: Site, tmp_path: Path):
    site.pages |= {"/": page("start", "/" + "a" * 3_000)}
    (sentence,) = (await read(site, tmp_path)).skipped
    assert len(sentence) < 300
    assert sentence.endswith(f"…: pages.example:{site.port} has no such page (404)")
