"""What a card says of the butler's own tools."""

from collections.abc import Mapping

from butler.contract.own_commands import OwnCommand, PreferenceName, preference_words
from butler.contract.speech import phrase, say, say_clock
from butler.contract.tools import Preview
from modules.butler.args import PreferenceArgs, QuietArgs

EFFECTS: Mapping[OwnCommand, str] = {
    OwnCommand.HELP: phrase("Shows what I can do"),
    OwnCommand.PENDING: phrase("Shows what waits for your yes"),
    OwnCommand.STATUS: phrase("Shows how I am"),
    OwnCommand.RULES: phrase("Shows what passes without asking you"),
    OwnCommand.CONTACTS: phrase("Shows whom I know by name"),
    OwnCommand.PREFERENCES: phrase("Shows how you like my answers"),
    OwnCommand.BULK: phrase("Shows what runs over many things at once"),
    OwnCommand.DIGEST: phrase("Shows your day in one message"),
    OwnCommand.WAITING: phrase("Shows whose answer you wait for"),
    OwnCommand.DONE: phrase("Shows what I have done for you today"),
    OwnCommand.EXPERTS: phrase("Shows who knows more of one thing"),
    OwnCommand.WHY: phrase("Shows what made me say or ask something"),
    OwnCommand.UNDO: phrase("Takes back what you approved last, if it has not begun"),
    OwnCommand.PAUSE: phrase("Stops at once what acts as you"),
    OwnCommand.RESUME: phrase("Lets what acts as you go on"),
}
FORGETS: Mapping[PreferenceName, str] = {
    PreferenceName.NAME: phrase("Forgets what to call you"),
    PreferenceName.LANGUAGE: phrase("Forgets in which language to answer you"),
    PreferenceName.PERSONA: phrase("Forgets for whom answers are written"),
    PreferenceName.LENGTH: phrase("Forgets how long answers are to be"),
    PreferenceName.SOURCES: phrase("Forgets how sources are to be shown"),
}


def of_command(command: OwnCommand) -> Preview:
    """Return the preview of a command."""
    return Preview(effect=say(EFFECTS[command]))


def of_preference(args: PreferenceArgs) -> Preview:
    """Return the preview of a preference."""
    told = ("name", "value")
    if not args.value:
        return Preview(effect=say(FORGETS[args.name]), told=told)
    return Preview(effect=say("From now on: {what}", what=preference_words(args.name, args.value)), told=told)


def of_quiet_hours(args: QuietArgs) -> Preview:
    """Return the preview of other quiet hours."""
    told = ("start", "end", "off")
    if args.start is not None and args.end is not None:
        times = {"start": say_clock(args.start), "end": say_clock(args.end)}
        return Preview(effect=say("Keeps quiet from {start} to {end} every day", **times), told=told)
    if args.off:
        return Preview(effect=say("Keeps no quiet hours any more"), told=told)
    return Preview(effect=say("Keeps the quiet hours of the settings again"), told=told)
