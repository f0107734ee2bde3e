"""The chat page in a real headless Chromium: say, tap, look, on a desk and on a phone."""

import re
import shutil
import subprocess
import threading
from base64 import b64decode
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from datetime import UTC, timedelta
from typing import Any

import pytest
from playwright.async_api import Browser, Page, async_playwright, expect

from butler_demo.daemon import Daemon
from butler_demo.page.server import PageServer
from butler_demo.people import BUTLER_ADDRESS, OWNER_ID
from butler_demo.world import World
from tests.support.nightly import all_but_the_first

WAIT_MS = 60_000
"""How long the page may take to tell of a daemon that starts, however busy the machine is."""
CHROMIUM = shutil.which("chromium") or "/usr/bin/chromium"
QUIET = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
)
DESK = {"width": 1280, "height": 800}
PHONE = {"width": 390, "height": 844}
SMALL_PHONE = {"width": 320, "height": 640}

PICTURE = b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAIAAAD91JpzAAAAEUlEQVR4nGMQUDBwCEhggFAAED4Cofd90kAAAAAASUVORK5CYII="
)
"""Two points by two."""

Look = Callable[..., Awaitable[Page]]
pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def chromium(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """One Chromium for all tests; the address at which it is steered."""
    profile = tmp_path_factory.mktemp("chromium")
    command = (CHROMIUM, "--headless=new", "--remote-debugging-port=0", f"--user-data-dir={profile}", *QUIET)
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        told = (line.partition("DevTools listening on ")[2].strip() for line in process.stderr)
        address = next(filter(None, told), "")
        drain = threading.Thread(target=process.stderr.read, daemon=True)  # a full pipe would stop it
        drain.start()
        yield address
        process.terminate()
        drain.join()


@pytest.fixture
async def browser(chromium: str) -> AsyncIterator[Browser]:
    async with async_playwright() as playwright:
        browser = await playwright.chromium.connect_over_cdp(chromium)
        yield browser
        await browser.close()


@pytest.fixture
async def look(world: World, echo: Daemon, browser: Browser) -> AsyncIterator[Look]:
    """Open the page; whatever its console complains of fails the test."""
    server = PageServer(world, echo)
    await server.start(0)
    complaints: list[str] = []

    async def look(viewport: dict[str, int], **options: Any) -> Page:
        context = await browser.new_context(viewport=viewport, **options)  # pyright: ignore[reportArgumentType]
        page = await context.new_page()
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("console", lambda line: complaints.append(line.text) if line.type in {"error", "warning"} else None)
        await page.goto(server.url)
        await page.wait_for_selector("body[data-ready]")
        return page

    yield look
    await server.stop()
    assert not [line for line in complaints if "/events" not in line]


async def say(page: Page, text: str) -> None:
    await page.fill("#draft", text)
    await page.keyboard.press("Enter")


async def test_a_card_is_approved_with_its_button_and_shows_the_outcome(look: Look) -> None:
    page = await look(DESK)
    await say(page, "ask Anna")
    await page.click(".keys button")
    await expect(page.locator(".message.bot .text")).to_have_text("ask Anna: approved")
    await expect(page.locator("#toast")).to_have_text("Done.")
    await expect(page.locator(".keys")).to_have_count(0)
    await expect(page.locator("#calls")).to_contain_text("editMessageText")


@pytest.mark.nightly
async def test_a_suggestion_is_said_with_one_click(look: Look, world: World) -> None:
    page = await look(DESK)
    await page.click("text=What can you do?")
    await expect(page.locator(".message.bot .text")).to_have_text("echo: What can you do?")
    await expect(page.locator("#welcome")).to_be_hidden()


@pytest.mark.nightly
async def test_a_file_is_sent_with_the_words_that_stand_there(look: Look, world: World) -> None:
    page = await look(DESK)
    await page.fill("#draft", "what is due?")
    await page.set_input_files("#file", {"name": "bill.txt", "mimeType": "text/plain", "buffer": b"Total: 12"})
    await expect(page.locator(".message.you")).to_contain_text("bill.txt")
    await expect(page.locator("#draft")).to_have_value("")
    (sent,) = [one for one in world.bot_api.messages(world.bot_token, OWNER_ID) if "document" in one]
    assert (sent["document"]["file_size"], sent["caption"]) == (9, "what is due?")


@pytest.mark.nightly
async def test_a_reply_quotes_what_it_answers(look: Look, world: World) -> None:
    page = await look(DESK)
    await say(page, "hello")
    await page.hover(".message.bot")
    await page.click(".message.bot .meta button")
    await say(page, "and you?")
    await expect(page.locator(".message.bot").last).to_contain_text("and you? | echo: hello")
    await expect(page.locator(".message.you .quote")).to_have_text("echo: hello")


async def test_markup_in_messages_and_mails_stays_text(look: Look, world: World) -> None:
    page = await look(DESK)
    await say(page, "<img src=x onerror=alert(1)>")
    await expect(page.locator(".message.bot .text")).to_have_text("echo: <img src=x onerror=alert(1)>")
    world.mail_butler("<b>Eve</b> <eve@evil.example>", "<script>alert(1)</script>", "<h1>big</h1>")
    await page.click("#tabs [data-go=butler]")
    await page.click("#panel-butler .item.mail >> nth=0")
    await expect(page.locator(".paper h2")).to_have_text("<script>alert(1)</script>")
    await expect(page.locator(".paper .body")).to_have_text("<h1>big</h1>")
    assert await page.locator(".messages img, .paper h1, .paper script").count() == 0


@pytest.mark.nightly
async def test_a_mail_of_ones_own_is_forwarded_to_the_butler(look: Look, world: World) -> None:
    page = await look(DESK)
    await page.click("#tabs [data-go=yours]")
    await page.click("text=Lunch next week?")
    await page.click("text=Forward this to the butler")
    await page.fill("#compose-body", "which day suits me?")
    await page.click("dialog .primary")
    await page.click("#tabs [data-go=butler]")
    await expect(page.locator("#panel-butler .item.mail").first).to_contain_text("Fwd: Lunch next week?")
    assert b"which day suits me?" in world.mail.mailbox(BUTLER_ADDRESS)[-1].raw


@pytest.mark.nightly
async def test_what_is_attached_is_named_and_goes_along_when_forwarded(look: Look, world: World) -> None:
    page = await look(DESK)
    await page.click("#tabs [data-go=yours]")
    await page.click("#panel-yours .item.mail:has-text('Invoice') >> nth=0")
    await expect(page.locator(".paper .enclosures")).to_have_text("Attached: invoice-2291.pdf")
    await page.click("text=Forward this to the butler")
    await expect(page.locator("#compose-note")).to_contain_text("with what is attached to it")
    await page.click("dialog .primary")
    await page.click("#tabs [data-go=butler]")
    await page.click("#panel-butler .item.mail >> nth=0")
    await expect(page.locator("#panel-butler .paper .enclosures")).to_have_text("Attached: invoice-2291.pdf")


@pytest.mark.nightly
async def test_a_mail_is_written_to_the_butler(look: Look, world: World) -> None:
    page = await look(DESK)
    await page.click("#tabs [data-go=butler]")
    await page.click("text=Send a mail to the butler")
    await page.fill("#compose-subject", "Shopping")
    await page.fill("#compose-body", "Leeks and oats.")
    await page.click("dialog .primary")
    await expect(page.locator("#panel-butler .item.mail").first).to_contain_text("Shopping")


@pytest.mark.nightly
async def test_what_is_sent_in_ones_name_shows_at_once_with_a_badge(look: Look, world: World) -> None:
    page = await look(DESK)
    await page.click("#tabs [data-go=yours]")
    world.centre.inject(OWNER_ID, 1002, "I am ten minutes late")
    await expect(page.locator("#tabs [data-go=sent] .badge")).to_have_text("1")
    await page.click("#tabs [data-go=sent]")
    await expect(page.locator(".sent-card")).to_contain_text("To Anna")
    await expect(page.locator("#tabs [data-go=sent] .badge")).to_be_hidden()


@pytest.mark.nightly
async def test_the_daemon_is_killed_and_started_from_the_page(look: Look) -> None:
    page = await look(DESK)
    await page.click("#daemon-kill")
    await expect(page.locator("#daemon-state")).to_have_attribute("data-state", "killed")
    await say(page, "are you there?")
    await page.click("#daemon-start")
    await expect(page.locator("#daemon-state")).to_have_attribute("data-state", "running", timeout=WAIT_MS)
    await expect(page.locator(".message.bot .text")).to_have_text("echo: are you there?")


@pytest.mark.parametrize("scheme", all_but_the_first(["light", "dark"]))
async def test_a_phone_shows_one_view_at_a_time_and_never_scrolls_sideways(look: Look, scheme: str) -> None:
    page = await look(PHONE, has_touch=True, is_mobile=True, color_scheme=scheme)
    await say(page, "ask " + "W" * 300)
    await page.tap(".keys button")
    await expect(page.locator(".message.bot .text")).to_contain_text("approved")
    for place, shown in (
        ("sent", "#panel-sent"),
        ("yours", "#panel-yours"),
        ("butler", "#panel-butler"),
        ("underneath", "#calls"),
        ("chat", "#messages"),
    ):
        await page.tap(f"#tabbar [data-go={place}]")
        await expect(page.locator(shown)).to_be_visible()
        assert await page.locator("main > section:visible").count() == 1
        assert await page.evaluate("document.documentElement.scrollWidth") == PHONE["width"]


@pytest.mark.nightly
async def test_the_smallest_phone_has_room_for_the_title_also_when_the_clock_is_ahead(look: Look) -> None:
    page = await look(SMALL_PHONE, has_touch=True, is_mobile=True)
    await page.click("#skip-hour")
    await expect(page.locator("#calls .note")).to_have_text("the clock is 1 h ahead")
    title, controls = await page.locator(".brand strong").bounding_box(), await page.locator(".daemon").bounding_box()
    assert title is not None
    assert controls is not None
    assert title["x"] + title["width"] <= controls["x"]
    assert controls["x"] + controls["width"] <= SMALL_PHONE["width"]
    assert await page.evaluate("document.documentElement.scrollWidth") == SMALL_PHONE["width"]


@pytest.mark.nightly
async def test_what_is_replied_to_stays_in_sight(look: Look) -> None:
    page = await look(SMALL_PHONE, has_touch=True, is_mobile=True)
    for text in ("one", "two", "three", "four", "five"):
        await say(page, text)
        await expect(page.locator(".message.bot").last).to_contain_text(text)
    await page.click(".message.bot >> nth=-1 >> .meta button")
    await expect(page.locator("#replying")).to_be_visible()
    await expect(page.locator(".message.bot .meta").last).to_be_in_viewport()
    message, chips = await page.locator(".message.bot").last.bounding_box(), await page.locator("#chips").bounding_box()
    assert message is not None
    assert chips is not None
    assert message["y"] + message["height"] <= chips["y"] + 1, "to a pixel"


@pytest.mark.nightly
async def test_rounds_of_polling_become_one_line_each(look: Look, world: World) -> None:
    page = await look(DESK)
    for _ in range(3):
        world.calls.on_imap_answer(b"* SEARCH\r\n")
        world.calls.on_imap_answer(b"+ idling\r\n")
    await expect(page.locator("#calls li:has-text('found nothing')")).to_have_count(1)
    await expect(page.locator("#calls li:has-text('found nothing')")).to_contain_text("×3")


@pytest.mark.nightly
async def test_times_have_24_hours_in_every_browser(look: Look, world: World) -> None:
    page = await look(DESK, locale="en-US", timezone_id="UTC")
    await page.click("#tabs [data-go=yours]")
    await page.click("#panel-yours .item.mail >> nth=0")
    told = await page.locator(".paper time").inner_text()
    assert re.fullmatch(r"\w{3} \d{2} \w{3} \d{4} \d{2}:\d{2}", told), told


@pytest.mark.nightly
async def test_the_greeting_goes_by_the_hour_of_the_demos_clock(look: Look, world: World) -> None:
    page = await look(DESK, timezone_id="UTC")
    for _ in range(3):
        world.advance(timedelta(hours=8))
        hour = world.clock.now().astimezone(UTC).hour
        time_of_day = "evening" if hour < 5 or hour >= 18 else "morning" if hour < 12 else "afternoon"
        await expect(page.locator("#greeting")).to_have_text(f"Good {time_of_day}, Robin.")


@pytest.mark.nightly
async def test_a_photo_is_seen_in_the_chat(look: Look, world: World) -> None:
    page = await look(PHONE)
    world.send_file("cpu.png", PICTURE)
    picture = page.locator("img.picture")
    await expect(picture).to_be_visible()
    assert await picture.evaluate("image => image.decode().then(() => image.naturalWidth)") == 2
