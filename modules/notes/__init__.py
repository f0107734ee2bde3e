"""The owner's notes: `remember that ...`, `what do you know about ...`."""

from modules.notes.module import NotesModule

MODULE = NotesModule
