"""Every operation that the stand-in serves, by its published id; a batch is done by the dispatcher itself."""

from collections.abc import Callable, Mapping

from butler_demo.trello import operations_boards as boards
from butler_demo.trello import operations_cards as cards
from butler_demo.trello import operations_lists as lists
from butler_demo.trello import operations_members as members
from butler_demo.trello.call import Call

BATCH = "get-batch"
OPERATIONS: Mapping[str, Callable[[Call], object]] = {
    "get-members-id": members.get_member,
    "get-members-id-boards": members.get_member_boards,
    "get-members-id-cards": members.get_member_cards,
    "get-boards-id": boards.get_board,
    "get-boards-id-lists": boards.get_board_lists,
    "get-boards-id-labels": boards.get_board_labels,
    "get-boards-id-members": boards.get_board_members,
    "get-boards-id-cards": boards.get_board_cards,
    "get-boards-id-cards-filter": boards.get_board_cards,
    "get-boards-id-actions": boards.get_board_actions,
    "get-lists-id": lists.get_list,
    "put-lists-id": lists.put_list,
    "post-lists": lists.post_list,
    "get-lists-id-cards": lists.get_list_cards,
    "get-cards-id": cards.get_card,
    "post-cards": cards.post_card,
    "put-cards-id": cards.put_card,
    "delete-cards-id": cards.delete_card,
    "get-cards-id-actions": cards.get_card_actions,
    "post-cards-id-actions-comments": cards.post_comment,
    "post-cards-id-idlabels": cards.post_card_label,
    "delete-cards-id-idlabels-idlabel": cards.delete_card_label,
    "post-cards-id-idmembers": cards.post_card_member,
    "delete-id-idmembers-idmember": cards.delete_card_member,
    "post-labels": lists.post_label,
    "get-labels-id": lists.get_label,
    "put-labels-id": lists.put_label,
    "delete-labels-id": lists.delete_label,
}
