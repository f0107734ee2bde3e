"""What a first user says, and exactly what has to come of it: one row a request, as (words, tool, arguments).

Read in `scene.py`: a Wednesday, 10:30 in Berlin; the butler has shown a list of three of its own mails (`mail-2` and
`mail-4` by Anna, `mail-3` by a stranger), and before it one by Carol (`mail-1`).
"""

from typing import Any

Row = tuple[str, str, dict[str, Any]]

TELEGRAM, MAIL = "user_telegram_send_message", "user_email_send_message"
MY_SEARCH, YOUR_SEARCH = "user_email_search_inbox", "bot_email_search_inbox"
BOT_CHAT, BOT_MAIL = "bot_telegram_send_message", "bot_email_send_message"
NEWS, THREADS = "user_telegram_get_updates", "user_email_list_threads"
LIST_CHATS, READ_CHAT = "user_telegram_list_dialogs", "user_telegram_get_message_history"
READ, REPLY = "bot_email_read_message", "bot_email_reply_to_thread"
NOTE, NOTES = "bot_notes_remember", "bot_notes_search"
REMIND, REMINDERS = "bot_reminders_create", "bot_reminders_list"


def chat(words: str, to: str, text: str) -> Row:
    """A Telegram message to a contact, or to an address."""
    return words, TELEGRAM, {"to": {"address" if ":" in to else "contact": to}, "text": text}


def mail(words: str, to: list[dict[str, str]], subject: str, body: str) -> Row:
    return words, MAIL, {"to": to, "subject": subject, "body": body}


def remind(words: str, text: str, at: str) -> Row:
    return words, REMIND, {"text": text, "at": f"{at}:00"}


ANNA, CAROL, DAVE = {"contact": "c-anna"}, {"contact": "c-carol"}, {"contact": "c-dave"}
ANNAS_ADDRESS = {"address": "mail:anna@friends.example", "name": "Anna Berg"}
STRANGER = {"address": "mail:bob@x.example"}

CHAT: list[Row] = [
    chat("tell Anna on Telegram that I'll be ten minutes late", "c-anna", "I'll be ten minutes late"),
    chat("tell Anna on telegram I’m late", "c-anna", "I’m late"),
    chat("tell anna berg via Telegram: hi", "c-anna", "hi"),
    chat("message Bob: see you at 8", "c-bob", "see you at 8"),
    chat("Message BOB, see you", "c-bob", "See you"),
    chat("text mum I'm on my way", "c-mum", "I'm on my way"),
    chat("text my mum that dinner is ready", "c-mum", "Dinner is ready"),
    chat("text Anna Happy birthday!", "c-anna", "Happy birthday!"),
    chat("send Anna a message saying hello there", "c-anna", "Hello there"),
    chat("send a message to bob that I'm late", "c-bob", "I'm late"),
    chat("send Bob a telegram: hi", "c-bob", "hi"),
    chat("send a Telegram message to Anna: hi", "c-anna", "hi"),
    chat('send "happy birthday" to mum', "c-mum", "Happy birthday"),
    chat("send “see you at 8” to Anna on Telegram", "c-anna", "See you at 8"),
    chat("drop Bob a line: hello", "c-bob", "hello"),
    chat("write to Bob that I agree", "c-bob", "I agree"),
    chat("let Bob know that I'm late", "c-bob", "I'm late"),
    chat("let bob know I'm late", "c-bob", "I'm late"),
    chat("inform Bob that it works", "c-bob", "It works"),
    chat("tell Bob hi", "c-bob", "Hi"),
    chat("tell Bob to call me", "c-bob", "Call me"),
    chat("ask Bob to call me", "c-bob", "Call me"),
    chat("ask Bob: are you coming?", "c-bob", "are you coming?"),
    chat("tell Bob: that's all", "c-bob", "that's all"),
    chat("tell Bob that that is all", "c-bob", "That is all"),
    chat("tell Anna on Telegram: hunter2", "c-anna", "hunter2"),
    chat('tell Bob "hi and remind me at 9 to call"', "c-bob", "Hi and remind me at 9 to call"),
    chat("tell Bob about dinner: see you there", "c-bob", "Dinner: see you there"),
    chat("tell Bob:\nDear Bob,\n\nsee you.\n\nMe", "c-bob", "Dear Bob,\n\nsee you.\n\nMe"),
    chat('send Anna the message "hi" on Telegram', "c-anna", "Hi"),
    chat("tell both Bob that I'm late", "c-bob", "I'm late"),
    chat("tell Bob from you I had a letter", "c-bob", "From you I had a letter"),
    chat("tell Bob iPhone is the word", "c-bob", "iPhone is the word"),
    chat("tell Bob https://x.example/a is down", "c-bob", "https://x.example/a is down"),
    chat("Hey Jeeves, could you tell Bob I'm late?", "c-bob", "I'm late"),
    chat("please tell Bob: are you there?", "c-bob", "are you there?"),
    chat("can you please text mum that I'm home", "c-mum", "I'm home"),
    chat("I want you to tell Bob hi", "c-bob", "Hi"),
    chat("tell @bobby_x hi", "telegram:@bobby_x", "Hi"),
    chat("tell telegram:777 hi", "telegram:777", "Hi"),
]

LETTERS: list[Row] = [
    mail("email Anna about dinner: see you at eight", [ANNA], "Dinner", "see you at eight"),
    mail("email Anna: see you at eight tonight, as we said",
         [ANNA], "See you at eight tonight, as", "see you at eight tonight, as we said"),
    mail("e-mail Carol saying I come", [CAROL], "I come", "I come"),
    mail("tell Anna by mail that I'm late", [ANNA], "I'm late", "I'm late"),
    mail("tell Carol hi", [CAROL], "Hi", "Hi"),
    mail("tell my boss I'm ill", [DAVE], "I'm ill", "I'm ill"),
    mail("write to Carol that I agree", [CAROL], "I agree", "I agree"),
    mail("write Carol a mail: hello", [CAROL], "Hello", "hello"),
    mail("send Anna a message by mail: hi", [ANNA], "Hi", "hi"),
    mail("write a mail to anna@friends.example, subject Dinner on Friday, saying see you at eight",
         [ANNAS_ADDRESS], "Dinner on Friday", "See you at eight"),
    mail("write a mail to bob@x.example, subject X, saying Y", [STRANGER], "X", "Y"),
    mail("mail bob@x.example, saying hi", [STRANGER], "Hi", "Hi"),
    mail("send bob@x.example hi", [STRANGER], "Hi", "Hi"),
    mail("email bob@x.example: hi", [STRANGER], "Hi", "hi"),
    mail("send an email to Dave and Carol that the meeting is moved",
         [DAVE, CAROL], "The meeting is moved", "The meeting is moved"),
    mail("email anna@friends.example and Carol: hi", [ANNAS_ADDRESS, CAROL], "Hi", "hi"),
    mail("email Anna, Carol and Dave that I'm ill", [ANNA, CAROL, DAVE], "I'm ill", "I'm ill"),
    mail('send Carol an email with the subject "Party: plans" and say I come', [CAROL], "Party: plans", "I come"),
    mail("email Carol with subject Party and the text: I come", [CAROL], "Party", "I come"),
    mail("email Carol subject: Party body: I come", [CAROL], "Party", "I come"),
    mail("email Carol about the party:\nDear Carol,\nI come.", [CAROL], "The party", "Dear Carol,\nI come."),
    mail("send an email about dinner to Anna: see you", [ANNA], "Dinner", "see you"),
    mail("email Anna Subject: Hello\nHi Anna,\nbye", [ANNA], "Hello", "Hi Anna,\nbye"),
    mail("email carol@work.example, bob@x.example: hi",
         [{"address": "mail:carol@work.example", "name": "Carol"}, STRANGER], "Hi", "hi"),
    mail("write an email to Carol and tell her I come on Friday", [CAROL], "I come on Friday", "I come on Friday"),
    mail("write Carol a mail and ask her to call me", [CAROL], "Call me", "Call me"),
    mail("email both Carol and Dave: hi", [CAROL, DAVE], "Hi", "hi"),
    mail("send Carol a quick email about the party saying I come", [CAROL], "The party", "I come"),
]  # fmt: skip

SEARCHES: list[Row] = [
    ("search my mail for invoice", MY_SEARCH, {"words": "invoice"}),
    ('search my mail for "the big one"', MY_SEARCH, {"words": "the big one"}),
    ("find invoice in my mail", MY_SEARCH, {"words": "invoice"}),
    ("look for tickets in my mailbox", MY_SEARCH, {"words": "tickets"}),
    ("find mails about the dinner", MY_SEARCH, {"words": "dinner"}),
    ("any mail from Anna?", MY_SEARCH, {"sender": "anna@friends.example"}),
    ("mail from Anna?", MY_SEARCH, {"sender": "anna@friends.example"}),
    ("is there any mail from Carol", MY_SEARCH, {"sender": "carol@work.example"}),
    ("did Carol write?", MY_SEARCH, {"sender": "carol@work.example"}),
    ("what did Carol say?", MY_SEARCH, {"sender": "carol@work.example"}),
    ("what did Anna mail?", MY_SEARCH, {"sender": "anna@friends.example"}),
    ("what did Anna write by mail?", MY_SEARCH, {"sender": "anna@friends.example"}),
    ("any mail today?", MY_SEARCH, {"since": "2026-03-04"}),
    ("has Carol replied yet?", MY_SEARCH, {"sender": "carol@work.example"}),
    ("show me Anna's mails", MY_SEARCH, {"sender": "anna@friends.example"}),
    ("find mail from dave@work.example", MY_SEARCH, {"sender": "dave@work.example"}),
    ("any mail from Bert?", MY_SEARCH, {"sender": "Bert"}),
    ("any mail from Sam Hill?", MY_SEARCH, {"sender": "sam@hill.example"}),
    ("mails from Carol about the party", MY_SEARCH, {"words": "party", "sender": "carol@work.example"}),
    ("list unread emails from Anna about dinner", MY_SEARCH,
     {"words": "dinner", "sender": "anna@friends.example", "unread": True}),
    ("show mails about pizza from Carol in my inbox", MY_SEARCH, {"words": "pizza", "sender": "carol@work.example"}),
    ("show unread mail", MY_SEARCH, {"unread": True}),
    ("show my unread mail", MY_SEARCH, {"unread": True}),
    ("do I have new mail?", MY_SEARCH, {"unread": True}),
    ("new mail?", MY_SEARCH, {"unread": True}),
    ("show me the last 5 mails", MY_SEARCH, {"limit": 5}),
    ("check my mail", MY_SEARCH, {}),
    ("read my mail", MY_SEARCH, {}),
    ("open my inbox", MY_SEARCH, {}),
    ("what mail do I have", MY_SEARCH, {}),
    ("what's in the butler's inbox", YOUR_SEARCH, {}),
    ("what is in your inbox?", YOUR_SEARCH, {}),
    ("show Jeeves's inbox", YOUR_SEARCH, {}),
    ("search your inbox for train tickets", YOUR_SEARCH, {"words": "train tickets"}),
    ("find mails from Anna in your inbox", YOUR_SEARCH, {"sender": "anna@friends.example"}),
    ("did you get any mail?", YOUR_SEARCH, {}),
    ("show your unread mail", YOUR_SEARCH, {"unread": True}),
]  # fmt: skip

CHATS: list[Row] = [
    ("read my telegram", LIST_CHATS, {}),
    ("check my Telegram messages", LIST_CHATS, {}),
    ("any messages on Telegram?", LIST_CHATS, {}),
    ("do I have any new messages on Telegram?", LIST_CHATS, {}),
    ("what's new on Telegram?", NEWS, {"unread": True}),
    ("what did I miss on Telegram?", NEWS, {"unread": True}),
    ("what did I miss in the family chat?", READ_CHAT, {"called": "family", "unread": True}),
    ("What have I missed in the Climbing Club group today?", READ_CHAT, {"called": "Climbing Club", "unread": True}),
    ("what did I miss with Mum?", READ_CHAT, {"chat": {"contact": "c-mum"}, "unread": True}),
    ("show me the family chat", READ_CHAT, {"called": "family", "limit": 20}),
    ("the last 5 messages in the family group", READ_CHAT, {"called": "family", "limit": 5}),
    ("what did they say about the boat in the family chat?", READ_CHAT, {"called": "family", "words": "boat"}),
    ("search for key in the house channel", READ_CHAT, {"called": "house", "words": "key"}),
    ("show my mail threads", THREADS, {}),
    ("my conversations with Carol by mail", THREADS, {"sender": "carol@work.example"}),
    ("list the email threads about the boat", THREADS, {"words": "the boat"}),
    ("show my Telegram chats", LIST_CHATS, {}),
    ("what did Mum write on Telegram?", READ_CHAT, {"chat": {"contact": "c-mum"}, "limit": 10}),
    ("what did Anna say on Telegram?", READ_CHAT, {"chat": {"contact": "c-anna"}, "limit": 10}),
    ("has Anna texted me?", READ_CHAT, {"chat": {"contact": "c-anna"}, "limit": 10}),
    ("did Bob reply?", READ_CHAT, {"chat": {"contact": "c-bob"}, "limit": 10}),
    ("what did Bob say?", READ_CHAT, {"chat": {"contact": "c-bob"}, "limit": 10}),
    ("show me my last messages with Mum", READ_CHAT, {"chat": {"contact": "c-mum"}, "limit": 10}),
    ("read the last 3 messages from my mum", READ_CHAT, {"chat": {"contact": "c-mum"}, "limit": 3}),
    ("any new messages from Bob?", READ_CHAT, {"chat": {"contact": "c-bob"}, "limit": 10}),
    ("show me Mum's messages", READ_CHAT, {"chat": {"contact": "c-mum"}, "limit": 10}),
    ("show my chat with Anna", READ_CHAT, {"chat": {"contact": "c-anna"}, "limit": 10}),
    ("show my chat with @bobby_x", READ_CHAT, {"chat": {"address": "telegram:@bobby_x"}, "limit": 10}),
]

SHOWN: list[Row] = [
    ("read the second one", READ, {"message_id": {"handle": "mail-3"}}),
    ("read the 2nd mail", READ, {"message_id": {"handle": "mail-3"}}),
    ("read number 2", READ, {"message_id": {"handle": "mail-3"}}),
    ("read #2", READ, {"message_id": {"handle": "mail-3"}}),
    ("read mail-3", READ, {"message_id": {"handle": "mail-3"}}),
    ("read mail-1", READ, {"message_id": {"handle": "mail-1"}}),
    ("show me the first one", READ, {"message_id": {"handle": "mail-2"}}),
    ("read the last one", READ, {"message_id": {"handle": "mail-4"}}),
    ("open the latest mail", READ, {"message_id": {"handle": "mail-4"}}),
    ("open Anna's last mail", READ, {"message_id": {"handle": "mail-4"}}),
    ("read the mail from Carol", READ, {"message_id": {"handle": "mail-1"}}),
    ("what does the second one say?", READ, {"message_id": {"handle": "mail-3"}}),
    ("open Dave's last mail", MY_SEARCH, {"sender": "dave@work.example", "limit": 1}),
    ("reply to Anna's last mail: thanks, that works", REPLY,
     {"message_id": {"handle": "mail-4"}, "body": "thanks, that works"}),
    ("answer the second one with sounds good", REPLY, {"message_id": {"handle": "mail-3"}, "body": "Sounds good"}),
    ("reply to mail-3 that I agree", REPLY, {"message_id": {"handle": "mail-3"}, "body": "I agree"}),
    ("reply to the mail from Carol: fine", REPLY, {"message_id": {"handle": "mail-1"}, "body": "fine"}),
    ("reply to the first one saying no", REPLY, {"message_id": {"handle": "mail-2"}, "body": "No"}),
    ("respond to Carol: ok", REPLY, {"message_id": {"handle": "mail-1"}, "body": "ok"}),
]  # fmt: skip

NOTED: list[Row] = [
    ("remember that my locker is 4711", NOTE, {"text": "My locker is 4711"}),
    ("remember my locker is 4711", NOTE, {"text": "My locker is 4711"}),
    ("remember: the key is under the mat", NOTE, {"text": "the key is under the mat"}),
    ("don't forget that the key is under the mat", NOTE, {"text": "The key is under the mat"}),
    ("note: buy milk", NOTE, {"text": "buy milk"}),
    ("note that the plumber is called Rossi", NOTE, {"text": "The plumber is called Rossi"}),
    ("make a note: buy milk", NOTE, {"text": "buy milk"}),
    ("write down that the code is 12", NOTE, {"text": "The code is 12"}),
    ("what do you know about my locker", NOTES, {"words": "locker"}),
    ("where is my locker?", NOTES, {"words": "locker"}),
    ("what's my locker?", NOTES, {"words": "locker"}),
    ("search my notes for locker", NOTES, {"words": "locker"}),
    ("notes about the locker", NOTES, {"words": "locker"}),
    ("what did I ask you to remember", NOTES, {}),
    ("show my notes", NOTES, {}),
]

REMINDED: list[Row] = [
    remind("remind me tomorrow at 9 to call mum", "Call mum", "2026-03-05T09:00"),
    remind("remind me to call mum tomorrow at 9", "Call mum", "2026-03-05T09:00"),
    remind("tomorrow at 9 remind me to call mum", "Call mum", "2026-03-05T09:00"),
    remind("remind me in 20 minutes to turn off the oven", "Turn off the oven", "2026-03-04T10:50"),
    remind("in an hour remind me to stretch", "Stretch", "2026-03-04T11:30"),
    remind("remind me on Friday at noon that the plumber comes", "The plumber comes", "2026-03-06T12:00"),
    remind("remind me on 3 March at 14:30 to file taxes", "File taxes", "2027-03-03T14:30"),
    remind("remind me on 5 March at 14:30 to file taxes", "File taxes", "2026-03-05T14:30"),
    remind("remind me tomorrow to call mum at 9", "Call mum", "2026-03-05T09:00"),
    remind("remind me at 9 to be at school at 10", "Be at school at 10", "2026-03-05T09:00"),
    remind("remind me in 10 minutes to call mum tomorrow", "Call mum tomorrow", "2026-03-04T10:40"),
    remind("remind me to be at 9 Elm street at 11", "Be at 9 Elm street", "2026-03-04T11:00"),
    remind("remind me dentist tomorrow at 9", "Dentist", "2026-03-05T09:00"),
    remind("remind me, please, tomorrow at 9 to call mum", "Call mum", "2026-03-05T09:00"),
    remind("please remind me to call mum tomorrow at 9, thanks", "Call mum", "2026-03-05T09:00"),
    remind("remind me tonight to lock up", "Lock up", "2026-03-04T20:00"),
    remind("remind me to stretch in the morning", "Stretch", "2026-03-05T09:00"),
    remind("set a reminder for tomorrow at 9: call mum", "Call mum", "2026-03-05T09:00"),
    remind("set a reminder to call mum at 5pm", "Call mum", "2026-03-04T17:00"),
    remind("remind me at 05:00 to call mum", "Call mum", "2026-03-05T05:00"),
    remind("remind me at 5 in the afternoon to call mum", "Call mum", "2026-03-04T17:00"),
    remind("remind me tomorrow at 05:00 to call mum", "Call mum", "2026-03-05T05:00"),
    remind("remind me at 11 to call mum and email Carol", "Call mum and email Carol", "2026-03-04T11:00"),
    ("what reminders do I have", REMINDERS, {}),
    ("show my reminders", REMINDERS, {}),
    ("reminders", REMINDERS, {}),
]

OWN_NAME: list[Row] = [
    ("send Anna a Telegram message from the butler: dinner is ready", BOT_CHAT,
     {"to": {"contact": "c-anna"}, "text": "dinner is ready"}),
    ("tell Bob as the butler that dinner is ready", BOT_CHAT, {"to": {"contact": "c-bob"}, "text": "Dinner is ready"}),
    ("send a message from you to Bob: hi", BOT_CHAT, {"to": {"contact": "c-bob"}, "text": "hi"}),
    ("tell Bob as Jeeves: hi", BOT_CHAT, {"to": {"contact": "c-bob"}, "text": "hi"}),
    ("send Carol a mail from you: hi", BOT_MAIL, {"to": [CAROL], "subject": "Hi", "body": "hi"}),
    ("tell Carol from your own address about dinner: see you", BOT_MAIL,
     {"to": [CAROL], "subject": "Dinner", "body": "see you"}),
]  # fmt: skip

ONE_STEP = [*OWN_NAME, *CHAT, *LETTERS, *SEARCHES, *CHATS, *SHOWN, *NOTED, *REMINDED]

FORWARDED: list[tuple[str, str, list[dict[str, str]]]] = [
    ("forward the second one to Carol", "mail-3", [CAROL]),
    ("forward Anna's last mail to bob@x.example", "mail-4", [STRANGER]),
    ("fwd mail-1 to Dave and Anna", "mail-1", [DAVE, ANNA]),
    ("send the second one to Carol", "mail-3", [CAROL]),
    ("send Carol the second mail", "mail-3", [CAROL]),
    ("pass the last one on to Dave", "mail-4", [DAVE]),
    ("forward the first one to Anna by mail", "mail-2", [ANNA]),
]

UNCLEAR: list[tuple[str, str, list[str]]] = [
    # Who?
    ("tell Bert hi", "I don't know anybody called Bert", []),
    ("email Bert Jones about x: hi", "I don't know anybody called Bert Jones", []),
    ("tell bert hi", "I don't know anybody called bert", []),
    ("tell Bob and Bert hi", "I don't know anybody called Bert", []),
    ("tell Bob and bert hi", "Who is “bert”?", []),
    ("tell the kids dinner's ready", "I don't know anybody called the kids", []),
    ("tell Anna's sister hi", "I don't know anybody called Anna's sister", []),
    ('send "hi" to Bert', "I don't know anybody called Bert", []),
    ("tell her hi", "Who is “her”?", []),
    ("send a mail", "To whom?", []),
    ("tell Anna Bergman hi", "nobody called Anna Bergman", ["tell Anna: Bergman hi"]),
    ("forward the first one to Bert", "I don't know anybody called Bert", []),
    ("forward the first one to Anna Bergman", "I don't know anybody called Anna Bergman", []),
    ("reply to Bert: fine", "I don't know anybody called Bert", []),
    ("tell Sam hi", "Which Sam do you mean?", ["tell sam hill: Hi", "tell sam dale: Hi"]),
    ("email Sam about lunch: noon?", "Which Sam do you mean?",
     ['send sam hill a mail with subject "Lunch": noon?', 'send sam dale a mail with subject "Lunch": noon?']),
    ("tell Kim hello", "Which Kim do you mean?", ["tell telegram:5021: Hello", "tell kim@two.example: Hello"]),
    ("any mail from Sam?", "Which Sam do you mean?", ["any mail from sam hill", "any mail from sam dale"]),
    ("forward mail-3 to Sam", "Which Sam do you mean?", ["forward mail-3 to sam hill", "forward mail-3 to sam dale"]),
    ("tell Bob, Carol and Dave are coming", "or only to Bob?",
     ["tell Bob, Carol and Dave: Are coming", "tell Bob: Carol and Dave are coming"]),
    ("email Carol, Dave: hi", "or only to Carol?", ["send Carol and Dave a mail: hi", "send Carol a mail: Dave: hi"]),
    ("read Bert's last mail", "I don't know anybody called Bert.", []),
    # Which way?
    ("tell Anna hi", "Which way", ["send Anna a Telegram message: Hi", "send Anna a mail: Hi"]),
    ("tell Anna, Bob is ill", "Which way",
     ["send Anna a Telegram message: Bob is ill", "send Anna a mail: Bob is ill"]),
    ("email bob: hi", "I have no mail address of bob", ["send bob a Telegram message: hi"]),
    ("text carol hi", "I have no Telegram address of carol", ["send carol a mail: Hi"]),
    ("tell ghost hi", "I have no address of ghost", []),
    ("tell bob@x.example on Telegram: hi", "I have no Telegram address", ["send bob@x.example a mail: hi"]),
    ("tell Bob and Carol hi", "no one way that reaches", []),
    ("tell Anna on WhatsApp hi", "not on WhatsApp", []),
    ("tell bob I'm late on Telegram", "Does “on Telegram” belong to the text?",
     ["send bob a Telegram message: I'm late", "send bob a Telegram message: I'm late on Telegram"]),
    ("forward the last one to Bob", "no mail address of Bob", []),
    ("tell Anna from you: hi", "Which way",
     ["send Anna a Telegram message from you: hi", "send Anna a mail from you: hi"]),
    # What?
    ("tell Bob", "What shall I write to Bob?", []),
    ("tell Anna about dinner", "What shall I write to Anna?", []),
    ("email Carol with subject Party", "What shall I write to Carol?", []),
    ("ask Bob if he has time", "What exactly shall I write", ["tell Bob: If he has time"]),
    ("let Carol know when the train arrives", "What exactly", ["tell Carol: When the train arrives"]),
    ("send Bob the report", "words, but not things", ["tell Bob: The report"]),
    ("send happy birthday to mum", "Shall I send mum the words", ["tell mum: Happy birthday"]),
    ("reply", "What shall I reply?", []),
    ("remember", "What shall I remember?", []),
    ("forward", "What shall I forward", []),
    (
        "reply to mail-4 with a poem about the contract",
        "What exactly shall I reply",
        ["reply to mail-4: A poem about the contract"],
    ),
    ("reply to mail-4 politely", "What exactly shall I reply", ["reply to mail-4: Politely"]),
    ("forward the last one to Dave with a note saying look", "without a note", ["forward mail-4 to Dave"]),
    # Which one?
    ("read it", "Which one", ["read mail-2", "read mail-3", "read mail-4"]),
    ("reply: yes", "Which one", ["reply to mail-2: yes", "reply to mail-3: yes", "reply to mail-4: yes"]),
    ("forward it to Carol", "Which one",
     ["forward mail-2 to Carol", "forward mail-3 to Carol", "forward mail-4 to Carol"]),
    ("read the fifth one", "I don't know which mail", []),
    ("read mail-99", "I don't know which mail", []),
    ("reply to Bob: fine", "not shown you a mail by Bob", ["any mail from Bob?", "tell Bob: fine"]),
    ("forward Dave's last mail to Carol", "not shown you a mail by Dave", ["any mail from Dave?"]),
    # Where?
    ("search for invoice", "Where shall I look?",
     ["search my mail for invoice", "search your inbox for invoice", "search my notes for invoice"]),
    ("what did Anna say?", "on Telegram, or for mail?", ["what did Anna write on Telegram", "any mail from Anna"]),
    ("any new messages?", "on Telegram, or mails?", ["read my Telegram", "show unread mail"]),
    ("show me my last messages", "on Telegram, or mails?", ["read my Telegram", "show unread mail"]),
    ("messages from Anna", "on Telegram, or for mail?", ["what did Anna write on Telegram", "any mail from Anna"]),
    ("what did Carol write on Telegram?", "no Telegram address of Carol", []),
    ("my chat with Kim", "Which Kim do you mean?", ["what did telegram:5021 write on Telegram"]),
    # When?
    ("remind me to call mum", "When shall I remind you", [
        f'remind me {when} of: "call mum"' for when in ("in 1 hour", "in 3 hours", "tomorrow at 9")]),
    ("remind me that the meeting is at 11", "When shall I remind you", [
        'remind me at 11 of: "the meeting is"',
        *(f'remind me {when} of: "the meeting is at 11"' for when in ("in 1 hour", "in 3 hours", "tomorrow at 9"))]),
    ("remind me today to call mum", "At what time", [
        f'remind me on 2026-03-04 at {hour}:00 of: "call mum"' for hour in (12, 18)]),
    ("remind me tomorrow to call mum", "At what time", [
        f'remind me on 2026-03-05 at {hour}:00 of: "call mum"' for hour in (9, 12, 18)]),
    ("remind me next Friday at 8 to pay", "Which day", [
        'remind me on 2026-03-06 at 08:00 of: "pay"', 'remind me on 2026-03-13 at 08:00 of: "pay"']),
    ("remind me at 9 to call mum tomorrow", "what belongs to the text", [
        'remind me tomorrow at 9 of: "call mum"', 'remind me at 9 of: "call mum tomorrow"']),
    ("remind me today at 9 to stretch", "That time is past", [
        f'remind me {when} of: "stretch"' for when in ("in 1 hour", "in 3 hours", "tomorrow at 9")]),
    ("remind me on 2026-03-01 at 9 to stretch", "That time is past", [
        f'remind me {when} of: "stretch"' for when in ("in 1 hour", "in 3 hours", "tomorrow at 9")]),
    ("remember to call mum", "remind you to call mum, or just note it",
     ["remind me tomorrow at 9 to call mum", "note: call mum"]),
    ("remind me at 5 to call mum", "In the afternoon or in the morning?", [
        'remind me on 2026-03-04 at 17:00 of: "call mum"', 'remind me on 2026-03-05 at 05:00 of: "call mum"']),
    ("remind me to call mum at half past six", "In the afternoon or in the morning?", [
        'remind me on 2026-03-04 at 18:30 of: "call mum"', 'remind me on 2026-03-05 at 06:30 of: "call mum"']),
    ("remind me tomorrow at 9", "Remind you of what?", []),
    ("remind me when Anna writes", "of what", []),
    ("remind Anna to call", "I can remind only you", []),
    # One or two?
    ("tell bob hi and tell mum hello", "two requests", ["tell bob hi; tell mum hello"]),
    ("tell bob to call and send Carol a mail: hi", "two requests", ["tell bob to call; send Carol a mail: hi"]),
    ("tell bob hi and remind me to call", "two requests", []),
    ("search my mail for invoice and forward the first one to Carol", "One at a time", []),
    ("search my mail for invoice; read the first one", "One at a time", []),
    ("tell anna hi and remind me at 9 to call", "Which way", [
        "send anna a Telegram message: Hi; remind me at 9 to call", "send anna a mail: Hi; remind me at 9 to call"]),
    # Who is that?
    ("who is Carol?", "Carol: carol@work.example", []),
    ("who's my boss", "Dave: dave@work.example", []),
    ("what is Anna's mail address?", "Anna Berg: telegram:5001, anna@friends.example", []),
    ("who is Ghost?", "Ghost: no address yet", []),
    ("who is bob@x.example?", "is an address", []),
    ("who is Zoe?", "I don't know anybody called Zoe", []),
    # Never a yes.
    ("yes", "only on a button", ["what is pending"]),
    ("approve", "only on a button", ["what is pending"]),
    ("send it", "only on a button", ["what is pending"]),
    ("thanks", "You are welcome", []),
]  # fmt: skip

NOT_UNDERSTOOD = [
    "tell me a joke", "book a flight to Rome", "answer the phone", "pass the salt", "what is the time",
    "who is the king?", "what is today's date?",
    "tell that I'm late", "send", "message", "email: hi", "?", "…", "remember?", "любой текст", "🙂",
    "approve everything from Anna", "write a poem", "message from the bank",
]  # fmt: skip
