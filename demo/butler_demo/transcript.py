"""A script's transcript on the terminal: who said what, cards with their buttons, and what came of each step."""

from datetime import timedelta

from rich.console import Console
from rich.padding import Padding
from rich.text import Text

from butler_demo.effects import SentMail, SentTelegram
from butler_demo.events import ChatChanged, DaemonChanged, DaemonState, Toasted

_INDENT = 10
_SHOWN_LINES = 14


class Transcript:
    """Prints as it goes. All text is printed as it is: nothing in it is markup."""

    def __init__(self, console: Console) -> None:
        self._console = console

    def step(self, number: int, text: str) -> None:
        """The line of the script that is played now."""
        self._console.print(Text(f"{number:>4}  {text}", style="dim"))

    def chat(self, message: ChatChanged) -> None:
        """A message of the owner or of the bot."""
        who, style = ("bot", "cyan") if message.by_bot else ("you", "green")
        who = who if message.is_new else f"{who} ✎"
        lines = message.text.splitlines() or [""]
        if message.file:
            lines.insert(0, f"[file {message.file}, {message.file_size} bytes]")
        if len(lines) > _SHOWN_LINES:
            lines = [*lines[:_SHOWN_LINES], f"… {len(lines) - _SHOWN_LINES} more lines"]
        self._said(who, style, "\n".join(lines))
        for row in message.buttons:
            buttons = Text("  ").join(Text(f" {button.label} ", style="reverse") for button in row)
            self._console.print(Padding(buttons, (0, 0, 0, _INDENT)))

    def toast(self, toast: Toasted) -> None:
        """The bot's answer to a press; an empty one is not worth a line."""
        if toast.text:
            self._said("bot", "cyan", f"({toast.text})")

    def tapped(self, label: str, by: int | None) -> None:
        self._said("you" if by is None else str(by), "green", f"[taps {label}]")

    def telegram(self, sent: SentTelegram) -> None:
        self._said("sent", "magenta", f"Telegram {sent}")

    def mail(self, sent: SentMail) -> None:
        self._said("sent", "magenta", f"mail from {sent.box} {sent}")

    def mailed_butler(self, sender: str, subject: str) -> None:
        self._said("mail", "yellow", f"from {sender} to the butler: {subject}")

    def daemon(self, change: DaemonChanged) -> None:
        style = "red" if change.state in {DaemonState.KILLED, DaemonState.ENDED} else "blue"
        detail = f", {change.detail}" if change.detail else ""
        self._said("daemon", style, f"{change.state}{detail}")

    def clock(self, ahead_s: float) -> None:
        self._said("clock", "blue", f"now {timedelta(seconds=round(ahead_s))} ahead")

    def mismatch(self, number: int, text: str, problem: str) -> None:
        """The step that did not hold, what was expected and what there was."""
        self._console.print(Text(f"\nline {number} does not hold: {text}", style="bold red"))
        self._console.print(Text(problem), soft_wrap=True)

    def all_held(self, steps: int, seconds: float) -> None:
        self._console.print(Text(f"\nall {steps} steps hold ({seconds:.1f} s)", style="bold green"))

    def _said(self, who: str, style: str, text: str) -> None:
        head = Text(f"{who:>{_INDENT - 2}}  ", style=f"bold {style}")
        first, *more = text.split("\n")
        self._console.print(head + Text(first), soft_wrap=True)
        for line in more:
            self._console.print(Text(" " * _INDENT + line), soft_wrap=True)
