"""What the butler can do, for people: one example a kind of request."""

EXAMPLES = (
    (
        "Write in your name",
        (
            "tell Anna on Telegram that I'll be ten minutes late",
            "email Bob about dinner: see you at 8",
            "reply to the first one: thanks",
        ),
    ),
    (
        "Look into the mail",
        ("show unread mail", "any mail from Anna?", "search my mail for invoice", "read the second one"),
    ),
    ("Look into your Telegram", ("what did Anna write on Telegram?", "what did I miss in the family chat?")),
    ("Pass on", ("forward the second one to Bob",)),
    (
        "Look things up",
        ("what does the contract say about notice?", "read https://example.org/menu", "search my Drive for the lease"),
    ),
    ("Remember", ("remember that my locker is 4711", "what do you know about my locker")),
    ("Remind", ("remind me tomorrow at 9 to call mum", "what reminders do I have")),
    ("Say how I answer", ("call me Max", "answer in German", "be brief")),
    ("Ask me", ("what is pending", "status", "help")),
)
NOT_UNDERSTOOD = (
    "I did not understand that, so I did nothing. I understand plain requests like these:\n"
    "• tell Anna on Telegram that I'll be late\n"
    "• any mail from Anna?\n"
    "• remind me tomorrow at 9 to call mum\n"
    "Say “help” for all I can do."
)
FORWARDING = (
    "Forward a mail to my address with what you want above it, or without a word. I ask whenever I am not sure."
)
CARDS = (
    "Reply to a card to change it. /rules shows what passes without a card, and /pause user stops at once what acts as "
    "you."
)


def help_text(butler_name: str) -> str:
    """What the butler answers to `help`."""
    lines = [f"I am {butler_name}. What leaves in your name waits for your tap on a card. You can say, for example:"]
    for title, examples in EXAMPLES:
        lines += ["", title, *(f"• {example}" for example in examples)]
    lines += ["", FORWARDING, "", CARDS]
    return "\n".join(lines)
