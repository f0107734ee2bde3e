"""The question for an automation whose trigger was not understood."""

from butler.contract.speech import phrase

WHAT_HAPPENS = phrase(
    "I understood that something is to be done each time, but not what has to happen first, so I did nothing. I can "
    "watch for mails, messages, alerts, events and bulk runs: “whenever a mail from Anna comes, tell me”."
)
