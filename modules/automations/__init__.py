"""The owner's automations: `when Anna mails me, tell me at once`."""

from modules.automations.module import AutomationsModule

MODULE = AutomationsModule
