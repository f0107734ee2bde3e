"""`butler backup` and `butler restore`: write and restore a backup."""

from pathlib import Path
from typing import Annotated

import typer

from butler.cli.options import DEFAULT, ConfigOption


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
    from butler.cli.backup import make_backup  # noqa: PLC0415

    print(make_backup(config, target))


def restore(
    archive: Annotated[Path, typer.Argument(metavar="FILE", help="A file that `butler backup` wrote.")],
    config: ConfigOption = DEFAULT,
    force: Annotated[bool, typer.Option("--force", help="Set what is there aside under a dated name.")] = False,
) -> None:
    """Bring a backup back; Butler must not be running."""
    from butler.cli.backup import restore_backup  # noqa: PLC0415

    print(restore_backup(config, archive, force=force))
