"""Fuzzes what of a mail may command: nothing that a stranger wrote, however a program quotes and wraps it."""

from random import Random

from modules.email.parsing import command as parse_command
from modules.email.parsing import forms as parse_forms
from modules.email.parsing import pasted as parse_pasted
from modules.email.parsing import words as parse_words
from modules.email.parsing.command import MailBody, MailContext, command_of
from tests.fuzz.harness import run
from tests.fuzz.strangers import MARK, case, greeted_case, pasted_case

WATCHED = (parse_command, parse_forms, parse_pasted, parse_words)


def target(data: bytes) -> None:
    """Make a reply or a new mail by these bytes, a part of it by a stranger, and hold that none of that commands."""
    chance = Random(data)
    make = chance.choices((case, pasted_case, greeted_case), (7, 2, 1))[0]
    one = make(chance)
    setting = MailContext(one.subject, one.answers)
    forms = {"plain": MailBody(plain=one.text), "flowed": MailBody(plain=one.text, flowed=True)}
    forms |= {"rich": MailBody(html=one.html), "both": MailBody(plain=one.text, html=one.html)}
    for name, spoken in forms.items():
        command = command_of(spoken, setting)
        assert MARK not in command, (name, command, spoken)
        assert command.split() == one.own.split()[: len(command.split())], (name, command, spoken)


if __name__ == "__main__":
    run(target, [module.__name__ for module in WATCHED], [b"1", b"another", b"and a third"])
