"""`butler init`: makes a working configuration from nothing, with a bot that waits to be paired.

Every answer is tried live before it is accepted, and nothing is written before the last one. A secret only ever comes
from a hidden prompt, the environment or the secrets file: an option would show it in the list of processes.
"""

from typing import Annotated

import typer

from butler.cli.options import DEFAULT, ConfigOption


def init(
    config: ConfigOption = DEFAULT,
    name: Annotated[str | None, typer.Option(help="What your butler is called.")] = None,
    timezone: Annotated[str | None, typer.Option(help="Your time zone, such as Europe/London.")] = None,
    emails: Annotated[str | None, typer.Option(help="Your own mail addresses, with commas between.")] = None,
    mail_address: Annotated[
        str | None, typer.Option(help="The butler's own mail address.", envvar="BUTLER_EMAIL_ADDRESS")
    ] = None,
    imap: Annotated[str | None, typer.Option(help="Such as imaps://imap.home.example:993.")] = None,
    smtp: Annotated[str | None, typer.Option(help="Such as smtp+starttls://smtp.home.example:587.")] = None,
    tls_ca: Annotated[str | None, typer.Option(help="A CA file, for a private mail server.")] = None,
    model: Annotated[str | None, typer.Option(help="A language model as PROVIDER:NAME, or embedded.")] = None,
    model_base_url: Annotated[str | None, typer.Option(help="Where a compatible model server listens.")] = None,
    api_base_url: Annotated[str | None, typer.Option(help="A Bot API server of your own.")] = None,
    data_dir: Annotated[str, typer.Option(help="Where Butler keeps its data.")] = "data",
    no_input: Annotated[
        bool, typer.Option("--no-input", help="Ask nothing: take options, environment and secrets file.")
    ] = False,
    force: Annotated[bool, typer.Option("--force", help="Write anew what is there, and keep a copy.")] = False,
) -> None:
    """Ask what Butler needs to know, try each answer, and write butler.toml and the secrets file.

    Secrets are asked for without being shown, or taken from the environment: BUTLER_TELEGRAM_TOKEN,
    BUTLER_EMAIL_PASSWORD, BUTLER_LLM_KEY.
    """
    from butler.cli.init.setup import Given, set_up  # noqa: PLC0415

    given = Given(
        name=name,
        timezone=timezone,
        emails=emails,
        mailbox={"address": mail_address, "imap": imap, "smtp": smtp, "tls_ca": tls_ca},
        model={"model": model, "base_url": model_base_url},
        api_base_url=api_base_url,
        data_dir=data_dir,
        asks=not no_input,
        force=force,
    )
    set_up(config, given)
