"""Shows the progress of a backup or a restore on a terminal; output to pipes and under cron stays silent."""

from collections.abc import Generator
from contextlib import contextmanager
from typing import Final

from butler.store.progress import Progress, Stage, Tell

NAMES: Final = {Stage.CHECK: "Checking the file", Stage.ROWS: "Rows", Stage.FILES: "Files"}


@contextmanager
def shown() -> Generator[Tell]:
    """Show a bar on stderr for each stage; yield the function that moves them."""
    from rich import progress  # noqa: PLC0415 - heavy imports only where they are used
    from rich.console import Console  # noqa: PLC0415

    console = Console(stderr=True)
    columns = (
        progress.TextColumn("{task.description}"),
        progress.BarColumn(),
        progress.TaskProgressColumn(),
        progress.TimeRemainingColumn(elapsed_when_finished=True),
    )
    with progress.Progress(*columns, console=console, disable=not console.is_terminal) as bars:
        tasks: dict[Stage, progress.TaskID] = {}

        def tell(now: Progress) -> None:
            if not now.total:
                return
            if now.stage not in tasks:
                tasks[now.stage] = bars.add_task(NAMES[now.stage])
            bars.update(tasks[now.stage], completed=now.done, total=now.total)

        yield tell
