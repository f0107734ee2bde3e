"""`butler demo`: runs the whole butler on this machine, without an account, with a chat page or a script."""

import asyncio
import sys
from pathlib import Path
from typing import Annotated

import typer


def demo(
    port: Annotated[int, typer.Option(min=0, max=65535, help="Of the chat page; 0 takes a free one.")] = 8025,
    script: Annotated[Path | None, typer.Option(help="Play this script and print its transcript instead.")] = None,
) -> None:
    """Try Butler without any account: stand-in servers, the real daemon, and a chat page in the browser."""
    from rich.console import Console  # noqa: PLC0415 - heavy imports only where they are used

    try:
        from butler_demo.daemon import DaemonError  # noqa: PLC0415
        from butler_demo.page.server import PortTakenError  # noqa: PLC0415
        from butler_demo.run import play_script, show_page  # noqa: PLC0415
        from butler_demo.script import ScriptError  # noqa: PLC0415
    except ModuleNotFoundError as error:
        package = (error.name or "").partition(".")[0]
        print(f"butler: the demo needs {package}: run `pip install '.[demo]'` in Butler's folder", file=sys.stderr)
        raise typer.Exit(1) from None

    console = Console(highlight=False)
    try:
        if script is None:
            asyncio.run(show_page(port, console))
        elif not asyncio.run(play_script(script, console)):
            raise typer.Exit(1)
    except ScriptError as error:
        print(f"butler: {script}: {error}", file=sys.stderr)
        raise typer.Exit(2) from None
    except (PortTakenError, DaemonError) as error:
        print(f"butler: {error}", file=sys.stderr)
        raise typer.Exit(1) from None
    except KeyboardInterrupt:
        raise typer.Exit(130) from None
