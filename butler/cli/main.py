"""`butler`: every command, each a thin door to what stands below. Heavy imports happen inside the command."""

import asyncio
import sys
from enum import StrEnum
from importlib.metadata import version
from pathlib import Path
from typing import Annotated

import typer

from butler.cli.approvals import approvals_app
from butler.cli.audit import audit_app
from butler.cli.automations import automations_app, events
from butler.cli.bulk import bulk_app
from butler.cli.contacts import contacts_app
from butler.cli.contracts import contracts_app
from butler.cli.demo import demo
from butler.cli.ending import one_sentence
from butler.cli.experts import experts_app
from butler.cli.hooks import hooks_app
from butler.cli.init import init
from butler.cli.login import login_app
from butler.cli.mail import mail_app
from butler.cli.new_module import new_module
from butler.cli.options import DEFAULT, ConfigOption, JsonOption
from butler.cli.reminders import reminders_app
from butler.cli.rules import rules_app
from butler.cli.stopping import pause, pin_app, resume
from butler.cli.tools import tools_app
from butler.cli.why import why

app = typer.Typer(
    name="butler",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
config_app = typer.Typer(help="Look at the configuration.", no_args_is_help=True)
db_app = typer.Typer(help="Look after the database.", no_args_is_help=True)
app.add_typer(config_app, name="config")
app.add_typer(db_app, name="db")
app.add_typer(approvals_app, name="approvals")
app.add_typer(bulk_app, name="bulk")
app.add_typer(automations_app, name="automations")
app.command()(events)
app.add_typer(reminders_app, name="reminders")
app.add_typer(rules_app, name="rules")
app.add_typer(contacts_app, name="contacts")
app.add_typer(contracts_app, name="contracts")
app.add_typer(audit_app, name="audit")
app.add_typer(experts_app, name="experts")
app.add_typer(hooks_app, name="hooks")
app.add_typer(login_app, name="login")
app.add_typer(mail_app, name="mail")
app.add_typer(tools_app, name="tools")


def show_version(asked: bool) -> None:
    """Print the version and end."""
    if asked:
        print(f"butler {version('butler')}")
        raise typer.Exit


@app.callback()
def butler(
    _version: Annotated[
        bool, typer.Option("--version", callback=show_version, is_eager=True, help="Print the version and end.")
    ] = False,
) -> None:
    """A personal butler on Telegram and mail that acts in your name only with your yes."""


app.command()(one_sentence(demo))
app.command()(one_sentence(init))
app.command("new-module")(new_module)
app.command()(why)
app.command()(pause)
app.command()(resume)
app.add_typer(pin_app, name="pin")


class LogLevel(StrEnum):
    """How much the daemon says."""

    DEBUG = "DEBUG"
    INFO = "INFO"
    WARNING = "WARNING"
    ERROR = "ERROR"


@app.command()
@one_sentence
def run(
    config: ConfigOption = DEFAULT,
    log_level: Annotated[LogLevel, typer.Option(case_sensitive=False, help="How much the log says.")] = LogLevel.INFO,
) -> None:
    """Run the daemon until it is stopped."""
    from butler.daemon import run as run_daemon  # noqa: PLC0415
    from butler.logs import Redactor, setup  # noqa: PLC0415

    redactor = Redactor()
    setup(redactor, level=log_level)
    run_daemon(config, redactor=redactor)


@config_app.command("check")
@one_sentence
def config_check(config: ConfigOption = DEFAULT) -> None:
    """Say whether the configuration works, and what to change where it does not."""
    from butler.cli.inspect import check_config  # noqa: PLC0415

    print(check_config(config))


@config_app.command("show")
@one_sentence
def config_show(config: ConfigOption = DEFAULT) -> None:
    """Show all settings as they are in force, without secrets."""
    from butler.cli.inspect import show_config  # noqa: PLC0415

    print(show_config(config))


@app.command()
@one_sentence
def pair(
    config: ConfigOption = DEFAULT,
    again: Annotated[
        bool, typer.Option("--again", help="After a lost or stolen account: the one before is a stranger at once.")
    ] = False,
) -> None:
    """Make a code that you say to your bot, so that it knows you. An older code is void then."""
    from butler.cli.pairing import open_pairing, pair_again  # noqa: PLC0415

    print(pair_again(config) if again else asyncio.run(open_pairing(config)))


@app.command()
@one_sentence
def backup(
    target: Annotated[
        Path | None,
        typer.Argument(metavar="FOLDER", help="Where to write the file; made if only its last part is missing."),
    ] = None,
    config: ConfigOption = DEFAULT,
) -> None:
    """Write everything Butler knows into one file, while it runs. Settings and secrets are not in it."""
    if target is None:
        raise typer.BadParameter("say which folder to write the backup into, such as `butler backup /media/backups`")
    from butler.cli.keep import make_backup  # noqa: PLC0415

    print(make_backup(config, target))


@app.command()
@one_sentence
def restore(
    archive: Annotated[Path, typer.Argument(metavar="FILE", help="A file that `butler backup` wrote.")],
    config: ConfigOption = DEFAULT,
    force: Annotated[bool, typer.Option("--force", help="Set what is there aside under a dated name.")] = False,
) -> None:
    """Bring a backup back; Butler must not be running."""
    from butler.cli.keep import bring_back  # noqa: PLC0415

    print(bring_back(config, archive, force=force))


@app.command()
@one_sentence
def keep(
    config: ConfigOption = DEFAULT,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Print it; nothing is let go from here.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Say what is kept no longer and would go in the next night, by the settings of retention."""
    if not dry_run:
        raise typer.BadParameter("write --dry-run to have it printed; the daemon lets go what is old each night")
    from butler.cli.keep import what_would_go  # noqa: PLC0415 - heavy

    print(what_would_go(config, as_json=as_json))


@app.command()
@one_sentence
def export(
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="A folder that is made for it.")],
    config: ConfigOption = DEFAULT,
) -> None:
    """Write all that Butler knows about you into a folder to read; no secrets are in it."""
    from butler.cli.export import exported  # noqa: PLC0415 - heavy

    print(asyncio.run(exported(config, folder)))


@app.command("wipe")
@one_sentence
def wipe_all(
    config: ConfigOption = DEFAULT,
    backups: Annotated[bool, typer.Option("--backups", help="Take the backups in the data folder away, too.")] = False,
) -> None:
    """Take all that Butler keeps off this machine, for good; the daemon must be stopped. Asks for the butler's name."""
    from butler.cli.wipe import wiped  # noqa: PLC0415 - heavy

    print(wiped(config, typer.prompt("Type the name of the butler"), backups=backups))


@db_app.command("upgrade")
@one_sentence
def db_upgrade(config: ConfigOption = DEFAULT) -> None:
    """Bring the database to this version, after a backup."""
    from butler.cli.keep import upgrade  # noqa: PLC0415

    print(upgrade(config))


@app.command()
@one_sentence
def doctor(config: ConfigOption = DEFAULT, as_json: JsonOption = False) -> None:
    """Look at everything Butler needs, and say what to do about what does not work."""
    from butler.cli.doctor import diagnose  # noqa: PLC0415

    asyncio.run(diagnose(config, as_json=as_json))


@app.command()
@one_sentence
def understand(
    text: Annotated[str | None, typer.Argument(help="A request, in quotes.")] = None,
    as_json: JsonOption = False,
    now: Annotated[str, typer.Option(help="The time it is said, ISO 8601.")] = "",
    jsonl: Annotated[bool, typer.Option("--jsonl", help="Read lines of {id, text}, answer each with its id.")] = False,
) -> None:
    """Show what the butler would make of a request, on the demo's people; nothing is done."""
    from butler.cli.understand import understood, understood_lines  # noqa: PLC0415

    async def answer_lines() -> None:
        async for line in understood_lines(sys.stdin, now=now):
            print(line)

    if jsonl == (text is not None):
        raise typer.BadParameter("give a TEXT, or --jsonl and lines on standard input")
    if text is None:
        asyncio.run(answer_lines())
    else:
        print(asyncio.run(understood(text, now=now, as_json=as_json)))


@app.command()
@one_sentence
def digest(
    config: ConfigOption = DEFAULT,
    preview: Annotated[bool, typer.Option("--preview", help="Print it; it is never sent from here.")] = False,
    now: Annotated[str, typer.Option(help="The time it is for, ISO 8601.")] = "",
) -> None:
    """Print what a digest of the day would say now; nothing is sent."""
    from butler.cli.digest import previewed  # noqa: PLC0415 - heavy

    if not preview:
        raise typer.BadParameter("write --preview to have it printed; /digest in the chat sends one")
    print(previewed(config, now=now))


class CheckType(StrEnum):
    """Whether a text comes in or goes out."""

    INPUT = "input_validation"
    OUTPUT = "output_safety"


@app.command()
@one_sentence
def guard(
    check: Annotated[CheckType, typer.Option(help="Whether the text comes in or goes out.")] = CheckType.INPUT,
    as_json: JsonOption = False,
    jsonl: Annotated[bool, typer.Option("--jsonl", help="Read lines of {id, text}, answer each with its id.")] = False,
) -> None:
    """Say what the guardrails find in a text from standard input: orders to an assistant, harm, personal data."""
    from butler.cli.guard import guarded, guarded_lines, standard_input  # noqa: PLC0415

    if jsonl:
        for line in guarded_lines(standard_input(), check.value):
            print(line, flush=True)
    else:
        print(guarded(standard_input().read(), check.value, as_json=as_json))


@app.command()
@one_sentence
def parse(
    files: Annotated[list[Path], typer.Argument(metavar="FILE...", help="Documents, pages, sheets, pictures.")],
    config: ConfigOption = DEFAULT,
    as_json: JsonOption = False,
    password_stdin: Annotated[
        bool, typer.Option("--password-stdin", help="The first line of standard input opens what is protected.")
    ] = False,
    force_ocr: Annotated[
        bool, typer.Option("--force-ocr", help="Read each page as a picture, whatever text it holds.")
    ] = False,
) -> None:
    """Show what the butler reads of a file, as an outline or whole as JSON. Nothing is kept."""
    from butler.cli.parse import parse_files, password_of, settings_of  # noqa: PLC0415

    password = password_of(sys.stdin) if password_stdin else None
    settings = settings_of(config)
    asyncio.run(parse_files(files, settings, as_json=as_json, password=password, force_ocr=force_ocr))
