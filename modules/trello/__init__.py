"""The owner's boards at Trello."""

from modules.trello.module import TrelloModule

MODULE = TrelloModule
