"""Butler's own way of bringing a mailbox in, as a program: `python -m bench.mailbox_butler IMAP_URL FOLDER KEEP`."""

import asyncio
import sys
import time
from dataclasses import replace
from pathlib import Path

from bench.mailbox_turn import PASSWORD, USER, finish, wait_for_go
from butler.clock import RealClock
from butler.daemon import SWITCH_S
from butler.logs import Redactor, setup
from butler.offline import offline_context
from butler.sink import StoreCursors, StoreMirror
from butler.store.open import open_store
from modules.email.config import UserServerSettings
from modules.email.imap.account import MailAccount
from modules.email.imap.sync import MailboxSync
from modules.email.integration_smtp_imap import SmtpImapIntegration
from modules.email.parsing.reader import MailReader


async def main(url: str, folder: Path, keep: str) -> None:
    setup(Redactor(), level="ERROR")
    sys.setswitchinterval(SWITCH_S)  # as the daemon does
    store, clock = open_store("sqlite:///butler.db", data_dir=folder), RealClock()
    context = offline_context()
    storage = replace(context.storage, mirror=StoreMirror(store, clock), cursors=StoreCursors(store, clock))
    context = replace(context, clock=clock, storage=storage)
    account = {"provider": "smtp_imap", "imap": url, "smtp": "smtp://127.0.0.1:1", "sync_days": 0, "keep": keep}
    settings = UserServerSettings.model_validate(account)
    secrets = {settings.address_env: USER, settings.password_env: PASSWORD}
    integration = SmtpImapIntegration(MailAccount(settings, secrets.__getitem__), context.storage.blobs)
    reader = MailReader()
    sync = MailboxSync("main", settings, integration, reader, context)
    wait_for_go()
    began = time.perf_counter()
    error = await sync.look(lambda: None)
    finish(time.perf_counter() - began, str(error.message) if error else "")
    await integration.stop()
    await reader.stop()
    await store.close()


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], Path(sys.argv[2]), sys.argv[3]))
