"""The owner's reminders: `remind me tomorrow at 9 to ...`."""

from modules.reminders.module import RemindersModule

MODULE = RemindersModule
