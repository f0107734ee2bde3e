"""What the owner is told that a step of a model's plan does. A tool's own description is written for models."""

from typing import Final

from butler.contract.speech import phrase, say
from butler.contract.tools import ToolSpec

NAMES: Final = {
    "automations_create": phrase("Set up an automation"),
    "automations_list": phrase("List your automations"),
    "automations_pause": phrase("Pause an automation"),
    "automations_remove": phrase("Remove an automation"),
    "automations_resume": phrase("Resume an automation"),
    "automations_show": phrase("Show an automation"),
    "calendar_change_event": phrase("Change an event"),
    "calendar_colour_event": phrase("Colour events"),
    "calendar_create_event": phrase("Make an event"),
    "calendar_decline_event": phrase("Decline events"),
    "calendar_delete_event": phrase("Delete events"),
    "calendar_find_free_time": phrase("Find free times in your calendar"),
    "calendar_list_calendars": phrase("List your calendars"),
    "calendar_list_events": phrase("Look in your calendar"),
    "calendar_move_event": phrase("Move events"),
    "calendar_read_event": phrase("Read an event"),
    "calendar_remind_event": phrase("Set the reminders of events"),
    "digests_end_watch": phrase("Wait for an answer no longer"),
    "digests_watch_answer": phrase("Wait for an answer"),
    "documents_read": phrase("Read a document"),
    "drive_read": phrase("Read a file of your Drive"),
    "drive_search": phrase("Look for files in your Drive"),
    "email_answer_invite": phrase("Answer an invitation"),
    "email_archive": phrase("Archive mails"),
    "email_draft_message": phrase("Draft a mail"),
    "email_draft_reply": phrase("Draft an answer to a mail"),
    "email_label": phrase("Label mails"),
    "email_list_threads": phrase("List mail conversations"),
    "email_mark_read": phrase("Mark mails as read"),
    "email_mark_unread": phrase("Mark mails as unread"),
    "email_move": phrase("Move mails"),
    "email_rank_senders": phrase("Count mails by sender"),
    "email_read_message": phrase("Read a mail"),
    "email_reply_to_thread": phrase("Answer a mail"),
    "email_search_inbox": phrase("Look for mails"),
    "email_send_message": phrase("Send a mail"),
    "email_spam": phrase("Mark mails as spam"),
    "email_star": phrase("Star mails"),
    "email_trash": phrase("Put mails into the trash"),
    "email_unarchive": phrase("Bring archived mails back"),
    "email_unlabel": phrase("Take a label off mails"),
    "email_unspam": phrase("Take mails out of spam"),
    "email_unstar": phrase("Take the star off mails"),
    "email_unsubscribe": phrase("Unsubscribe from a mailing list"),
    "email_untrash": phrase("Take mails out of the trash"),
    "files_list": phrase("List files"),
    "files_read": phrase("Read a file"),
    "memory_forget": phrase("Forget something I have read"),
    "memory_list": phrase("List what I have read"),
    "memory_read": phrase("Read something I remember"),
    "memory_search": phrase("Look in what I have read"),
    "notes_change": phrase("Change a note"),
    "notes_remember": phrase("Note something"),
    "notes_search": phrase("Look in your notes"),
    "reminders_change": phrase("Change a reminder"),
    "reminders_create": phrase("Set a reminder"),
    "reminders_done": phrase("Note a reminder as done"),
    "reminders_list": phrase("List your reminders"),
    "reminders_remove": phrase("Remove a reminder"),
    "reminders_skip": phrase("Leave out the next time of a reminder"),
    "reminders_snooze": phrase("Put a reminder off"),
    "telegram_delete_message": phrase("Delete Telegram messages"),
    "telegram_edit_message": phrase("Change a Telegram message"),
    "telegram_find_group": phrase("Find a Telegram group"),
    "telegram_get_chat_messages": phrase("Read a Telegram chat"),
    "telegram_get_message_history": phrase("Read a Telegram chat"),
    "telegram_get_updates": phrase("Look for new Telegram messages"),
    "telegram_list_dialogs": phrase("List your Telegram chats"),
    "telegram_read_message": phrase("Read a Telegram message"),
    "telegram_reply_to_message": phrase("Answer a Telegram message"),
    "telegram_send_message": phrase("Send a Telegram message"),
    "trello_archive_card": phrase("Archive cards"),
    "trello_assign_card": phrase("Put somebody on cards"),
    "trello_change_card": phrase("Change a card on a board"),
    "trello_comment_card": phrase("Comment on a card"),
    "trello_create_card": phrase("Make a card on a board"),
    "trello_create_list": phrase("Make a list on a board"),
    "trello_delete_card": phrase("Delete a card from a board"),
    "trello_due_card": phrase("Set when cards are due"),
    "trello_label_card": phrase("Label cards"),
    "trello_list_boards": phrase("List your boards"),
    "trello_list_cards": phrase("Look for cards on your boards"),
    "trello_move_card": phrase("Move cards"),
    "trello_read_card": phrase("Read a card"),
    "trello_unarchive_card": phrase("Bring archived cards back"),
    "trello_unassign_card": phrase("Take somebody off cards"),
    "trello_unlabel_card": phrase("Take a label off cards"),
    "web_read_page": phrase("Read a web page"),
}
"""By the name of each tool, whoever's it is; the others are told by their descriptions."""
_OF_OWNER: Final = (("the person's own", "your own"), ("the person's", "your"), ("as the person", "in your name"))
"""How descriptions speak of the owner, and how the owner is spoken to."""


def step_name(spec: ToolSpec) -> str:
    """Return what a step with this tool does, in the owner's language and addressed to them."""
    name = NAMES.get(spec.tool_name.partition("_")[2])
    if name is not None:
        return say(name)
    text = spec.description
    for theirs, yours in _OF_OWNER:
        text = text.replace(theirs, yours)
    return text
