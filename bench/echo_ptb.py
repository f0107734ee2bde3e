"""An echo bot as python-telegram-bot's documentation writes one: `python -m bench.echo_ptb URL TOKEN`."""

import sys

from telegram import Update
from telegram.ext import Application, ContextTypes, MessageHandler, filters


async def echo(update: Update, _context: ContextTypes.DEFAULT_TYPE) -> None:
    message = update.effective_message
    assert message is not None
    assert message.text is not None
    await message.reply_text(message.text)


def main() -> None:
    url, token = sys.argv[1:]
    application = Application.builder().token(token).base_url(f"{url}/bot").build()
    application.add_handler(MessageHandler(filters.TEXT, echo))
    application.run_polling()


if __name__ == "__main__":
    main()
