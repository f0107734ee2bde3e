"""`butler login ...`: signs in to the owner's own accounts. The credentials are sealed; see `butler.vault`."""

from pathlib import Path
from typing import Annotated

import typer

from butler.cli.errors import report_errors
from butler.cli.options import DEFAULT, ConfigOption

login_app = typer.Typer(help="Sign in to your own accounts.", no_args_is_help=True)
AccountOption = Annotated[
    str | None, typer.Option("--account", help="Which of your accounts; the first one, when left out.")
]
ClientOption = Annotated[
    Path | None, typer.Option("--client", help="The JSON of your OAuth client, as Google's console gives it.")
]
NoBrowserOption = Annotated[
    bool, typer.Option("--no-browser", help="Show the address, and take what the browser ends up at.")
]


@login_app.command("telegram")
@report_errors
def login_telegram(
    config: ConfigOption = DEFAULT,
    account: AccountOption = None,
    qr: Annotated[bool, typer.Option("--qr", help="Show a code that your phone's Telegram app scans.")] = False,
    phone: Annotated[str | None, typer.Option(help="Your number with its country code.")] = None,
    api_id: Annotated[int | None, typer.Option(help="From my.telegram.org, where butler.toml has none yet.")] = None,
) -> None:
    """Sign in to your own Telegram account, so that Butler can read your chats and send what you approve."""
    from butler.cli.login.accounts import LoginContext  # noqa: PLC0415
    from butler.cli.login.telegram import sign_in  # noqa: PLC0415

    sign_in(LoginContext.of(config, "telegram"), wanted=account, phone=phone, by_qr=qr, api_id=api_id)


@login_app.command("gmail")
@report_errors
def login_gmail(
    config: ConfigOption = DEFAULT,
    account: AccountOption = None,
    client: ClientOption = None,
    no_browser: NoBrowserOption = False,
) -> None:
    """Sign in to your own Gmail, so that Butler can read your mail and send what you approve."""
    from butler.cli.login.accounts import LoginContext  # noqa: PLC0415
    from butler.cli.login.gmail import sign_in  # noqa: PLC0415

    sign_in(LoginContext.of(config, "email"), wanted=account, client=client, no_browser=no_browser)


@login_app.command("drive")
@report_errors
def login_drive(
    config: ConfigOption = DEFAULT,
    account: AccountOption = None,
    client: ClientOption = None,
    no_browser: NoBrowserOption = False,
) -> None:
    """Sign in to your own Google Drive, so that Butler can find and read your files; it changes none."""
    from butler.cli.login.accounts import LoginContext  # noqa: PLC0415
    from butler.cli.login.drive import sign_in  # noqa: PLC0415

    sign_in(LoginContext.of(config, "drive"), wanted=account, client=client, no_browser=no_browser)


@login_app.command("calendar")
@report_errors
def login_calendar(
    config: ConfigOption = DEFAULT,
    account: AccountOption = None,
    client: ClientOption = None,
    no_browser: NoBrowserOption = False,
) -> None:
    """Sign in to your own Google Calendar, so that Butler can read your events and change what you approve."""
    from butler.cli.login.accounts import LoginContext  # noqa: PLC0415
    from butler.cli.login.calendar import sign_in  # noqa: PLC0415

    sign_in(LoginContext.of(config, "calendar"), wanted=account, client=client, no_browser=no_browser)


@login_app.command("trello")
@report_errors
def login_trello(config: ConfigOption = DEFAULT, account: AccountOption = None) -> None:
    """Sign in to your own Trello, so that Butler can read your boards and change what you approve."""
    from butler.cli.login.accounts import LoginContext  # noqa: PLC0415
    from butler.cli.login.trello import sign_in  # noqa: PLC0415

    sign_in(LoginContext.of(config, "trello"), wanted=account)


@login_app.command("mail")
@report_errors
def login_mail(
    config: ConfigOption = DEFAULT, account: AccountOption = None, no_browser: NoBrowserOption = False
) -> None:
    """Sign in to your own mailbox over IMAP: by password, or by consent where its server wants OAuth (Outlook)."""
    from butler.cli.login.accounts import LoginContext  # noqa: PLC0415
    from butler.cli.login.mail import sign_in  # noqa: PLC0415

    sign_in(LoginContext.of(config, "email"), wanted=account, no_browser=no_browser)


@login_app.command("rekey")
@report_errors
def login_rekey(config: ConfigOption = DEFAULT) -> None:
    """Seal what is sealed with a fresh key, after the old one may have been seen."""
    from butler.cli.login.accounts import LoginContext  # noqa: PLC0415

    vault = LoginContext.of(config).vault
    names = vault.rekey()
    if not vault.keys.changeable:
        print(f"{len(names)} sealed with the first key in {vault.keys.where}; the others can be taken out there.")
    elif names:
        print(f"{', '.join(names)}: sealed with a fresh key in {vault.keys.where}; the old one opens nothing any more.")
    else:
        print(f"Nothing is sealed yet; there is a fresh key in {vault.keys.where}.")
