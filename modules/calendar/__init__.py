"""The owner's Google Calendar."""

from modules.calendar.module import CalendarModule

MODULE = CalendarModule
