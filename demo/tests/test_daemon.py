"""The daemon as a child: its configuration is the real one's, its death is seen, its folder keeps secrets."""

import asyncio
import stat
from datetime import timedelta

import pytest

from butler_demo.clock import TurnedClock
from butler_demo.daemon import Daemon, DaemonError
from butler_demo.daemon_config import DaemonOptions, write_config
from butler_demo.events import DaemonState
from butler_demo.world import World
from config.load import load
from modules.email.config import EmailSettings
from modules.telegram.config import TelegramSettings


async def test_the_written_configuration_is_one_that_the_daemon_accepts(world: World) -> None:
    loaded = load(write_config(world, DaemonOptions()), environ={})
    telegram = TelegramSettings.model_validate(loaded.settings.modules["telegram"])
    email = EmailSettings.model_validate(loaded.settings.modules["email"])
    assert telegram.bot is not None
    assert telegram.user is not None
    assert email.bot is not None
    assert email.user is not None
    assert telegram.user.data_centre is not None
    assert telegram.user.data_centre.port == world.centre.port
    assert loaded.settings.owner.telegram_user_id == 42
    assert [contact.name for contact in loaded.settings.contacts] == ["Anna", "Bob", "Carol"]
    assert loaded.secrets[telegram.bot.token_env] == world.bot_token
    assert '"refresh_token"' in loaded.secrets[email.user.credentials_env]
    assert stat.S_IMODE((world.folder / "secrets.env").stat().st_mode) == 0o600


async def test_a_daemon_that_ends_at_once_is_reported_with_its_log(world: World) -> None:
    daemon = Daemon(world, child="demo.tests.no_such_module")
    with pytest.raises(DaemonError, match="no_such_module"):
        await daemon.start()
    assert world.stream.daemon.state is DaemonState.ENDED
    assert not daemon.is_running


async def test_a_killed_daemon_is_down_and_another_one_comes_up(world: World, echo: Daemon) -> None:
    first = echo.pid
    await echo.kill()
    assert world.stream.daemon.state is DaemonState.KILLED
    assert not echo.is_running
    with pytest.raises(DaemonError, match="not running"):
        await echo.kill()
    await echo.start()
    assert world.stream.daemon.state is DaemonState.RUNNING
    assert echo.pid not in {first, None}


async def test_one_that_was_told_to_end_may_end_before_another_starts(world: World, echo: Daemon) -> None:
    killing = asyncio.create_task(echo.kill())
    while world.stream.daemon.state is not DaemonState.KILLED:  # noqa: ASYNC110 - what is waited for sets no event
        await asyncio.sleep(0)
    await echo.start()
    await killing
    assert world.stream.daemon.state is DaemonState.RUNNING


async def test_a_clock_that_is_turned_wakes_who_sleeps(world: World) -> None:
    clock = TurnedClock(world.clock.path)
    waking = asyncio.create_task(clock.sleep_until(world.clock.now() + timedelta(hours=2)))
    await asyncio.sleep(0)
    world.advance(timedelta(hours=3))
    await asyncio.wait_for(waking, 60)
    assert abs((clock.now() - world.clock.now()).total_seconds()) < 0.5


async def test_a_clock_that_is_not_turned_lets_sleep(world: World) -> None:
    clock = TurnedClock(world.clock.path)
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(clock.sleep_until(world.clock.now() + timedelta(hours=1)), 0.3)
