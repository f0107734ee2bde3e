"""An echo bot as aiogram's documentation writes one: `python -m bench.echo_aiogram URL TOKEN`."""

import asyncio
import sys

from aiogram import Bot, Dispatcher
from aiogram.client.session.aiohttp import AiohttpSession
from aiogram.client.telegram import TelegramAPIServer
from aiogram.types import Message


async def echo(message: Message) -> None:
    await message.answer(message.text or "")


async def main() -> None:
    url, token = sys.argv[1:]
    dispatcher = Dispatcher()
    dispatcher.message()(echo)
    bot = Bot(token, session=AiohttpSession(api=TelegramAPIServer.from_base(url)))
    await dispatcher.start_polling(bot)


if __name__ == "__main__":
    asyncio.run(main())
