"""The demo as a person meets it: the real daemon on top of the world, by a script and on the page."""

from pathlib import Path

import pytest
from playwright.async_api import async_playwright, expect
from typer.testing import CliRunner

from butler.cli.main import app
from butler_demo.daemon import Daemon
from butler_demo.page.server import PageServer
from butler_demo.world import World
from demo.tests.playing import play
from demo.tests.test_browser import CHROMIUM, DESK, QUIET

ASK = """
say "tell Anna on Telegram that I'll be ten minutes late"
expect bot "Anna" "ten minutes late"
expect pending 1
"""


@pytest.mark.nightly
async def test_a_request_is_asked_approved_and_sent_once(world: World, daemon: Daemon) -> None:
    await play(
        world,
        daemon,
        ASK + 'tap "Approve"\nexpect sent telegram "Anna" "ten minutes late"\nexpect pending 0\n'
        'tap "Approve" again\nexpect nothing within 1',
    )


@pytest.mark.nightly
async def test_a_denied_request_is_not_sent(world: World, daemon: Daemon) -> None:
    await play(world, daemon, ASK + 'tap "Deny"\nexpect bot "Denied"\nexpect pending 0\nexpect nothing within 2')
    assert world.sent_telegrams() == []


@pytest.mark.nightly
async def test_a_reply_changes_the_card_and_the_changed_one_is_sent_once(world: World, daemon: Daemon) -> None:
    await play(
        world,
        daemon,
        ASK + 'reply "yes"\nexpect bot "given by the Approve button"\n'
        'reply "make it twenty minutes"\nexpect bot "changed" "I\'ll be twenty minutes late"\n'
        'expect bot "Replaced by a newer version below."\nexpect pending 1\n'
        'tap stale "Approve"\nexpect bot "A newer version has replaced this card"\nexpect pending 1\n'
        'tap "Approve"\nexpect sent telegram "Anna" "I\'ll be twenty minutes late"\nexpect pending 0\n'
        "expect nothing within 1",
    )
    assert len(world.sent_telegrams()) == 1


@pytest.mark.nightly
async def test_a_card_survives_a_kill_and_is_sent_once(world: World, daemon: Daemon) -> None:
    await play(
        world,
        daemon,
        ASK + 'kill\nstart\nexpect pending 1\ntap "Approve"\nexpect bot "Sending"\nkill\nstart\n'
        'expect sent telegram "Anna" "ten minutes late"',
    )


@pytest.mark.nightly
async def test_a_mail_goes_out_through_the_persons_own_account(world: World, daemon: Daemon) -> None:
    await play(
        world,
        daemon,
        'say "mail Carol that I will bring the scores"\nexpect bot "carol@choir.example" "bring the scores"\n'
        'tap "Approve"\nexpect mail to "carol@choir.example" "bring the scores"',
    )


@pytest.mark.nightly
async def test_a_group_is_written_to_by_its_title(world: World, daemon: Daemon) -> None:
    await play(
        world,
        daemon,
        'say "let the family know the cake\'s sorted"\n'
        'expect bot "called Family" "a group with" "The cake\'s sorted"\nexpect pending 1\n'
        'tap "Approve"\nexpect sent telegram "Family" "The cake\'s sorted"\nexpect pending 0',
    )


@pytest.mark.nightly
async def test_a_reminder_comes_when_the_clock_is_turned(world: World, daemon: Daemon) -> None:
    await play(
        world,
        daemon,
        'say "remind me in 2 hours to stretch"\nexpect bot "remind you" "stretch"\n'
        'expect nothing within 1\nadvance 2h\nexpect bot "stretch"',
    )


@pytest.mark.browser
async def test_a_person_says_taps_approve_and_sees_the_outcome_in_the_browser(world: World, daemon: Daemon) -> None:
    server = PageServer(world, daemon)
    await server.start(0)
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=CHROMIUM, args=list(QUIET))
        page = await browser.new_page(viewport=DESK)  # pyright: ignore[reportArgumentType]
        await page.goto(server.url)
        await page.click("text=Tell Anna on Telegram that I'll be ten minutes late")
        await page.click(".keys >> text=Approve", timeout=15_000)
        await expect(page.locator(".sent-card")).to_contain_text("ten minutes late", timeout=15_000)
        await expect(page.locator(".message.bot").last).to_contain_text("Sent at", timeout=15_000)
        await expect(page.locator(".keys >> text=Approve")).to_have_count(0)
        await expect(page.locator(".keys >> text=Delete")).to_have_count(1)
        await browser.close()
    await server.stop()


@pytest.mark.nightly
def test_the_command_plays_a_script_and_says_by_its_exit_code_whether_it_held(tmp_path: Path) -> None:
    script = tmp_path / "hello.demo"
    script.write_text('say "help"\nexpect bot "Jeeves"\n', encoding="utf-8")
    held = CliRunner().invoke(app, ["demo", "--script", str(script)])
    assert held.exit_code == 0, held.output
    script.write_text('say "help"\nexpect bot "a word that never comes" within 1\n', encoding="utf-8")
    assert CliRunner().invoke(app, ["demo", "--script", str(script)]).exit_code == 1
    script.write_text("shout\n", encoding="utf-8")
    refused = CliRunner().invoke(app, ["demo", "--script", str(script)])
    assert refused.exit_code == 2
    assert 'line 1: there is no step "shout"' in refused.output
