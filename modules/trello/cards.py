"""What the tools do that read boards and cards, or act on one card or list.

What is made on Trello cannot be told from a double, so before it is made the newest entry of the board's log is noted:
after a lost answer the log says whether it is there. What a tool changes is a state, which is read instead.
"""

from butler.contract.speech import phrase
from modules.trello.args import (
    ChangeCardArgs,
    CommentCardArgs,
    DeleteCardArgs,
)

NOT_AS_SHOWN = phrase("This is no longer as it was shown, so nothing was done; ask for it again.")
NO_CARD = phrase("this card is not on Trello any more, or you may not see it")
AboutCard = ChangeCardArgs | CommentCardArgs | DeleteCardArgs
