"""Cards after others were shown, all of a list, and those that are named."""

import pytest

from butler.contract.referents import ReferentKind as K
from butler.orchestrator.understanding.boards import builders as boards
from tests.understanding.shown import Asked, Planned, buttons_of, planned

BUILDERS = boards.BUILDERS
PLANS: tuple[Planned, ...] = (
    (K.CARD, "card.due", "en", "due [friday](time)", (1,), (),
     [("user_trello_due_card", {"cards": [{"handle": "card-1"}], "due": "2026-03-06T12:00"})]),
    (K.CARD, "card.due", "de", "Fällig [nächste Woche](time)", (1,), (),
     [("user_trello_due_card", {"cards": [{"handle": "card-1"}], "due": "2026-03-15T12:00"})]),
    (K.CARD, "card.move", "es", "pása[la](ref) a [Doing](list)", (1,), (),
     [("user_trello_move_card", {"cards": [{"handle": "card-1"}], "to_list": "Doing"})]),
    (K.CARD, "card.move", "en", "move [all](ref) cards in [Doing](list) to [Done](list) on [Home](board)", (), (),
     [("user_trello_move_card", {"in_list": "Doing", "board": "Home", "to_list": "Done"})]),
    (K.CARD, "card.move", "en", "move [all cards](ref) in [Doing](list) to [Done](list) on [Home](board)", (3,), (),
     [("user_trello_move_card", {"in_list": "Doing", "board": "Home", "to_list": "Done"})]),
    (K.CARD, "card.move", "de", "schieb alle Karten aus [Doing](list) nach [Done](list)", (), (),
     [("user_trello_move_card", {"in_list": "Doing", "to_list": "Done"})]),
    (K.CARD, "card.move", "fr", "déplace toutes les cartes de [Doing](list) à [Done](list)", (), (),
     [("user_trello_move_card", {"in_list": "Doing", "to_list": "Done"})]),
    (K.CARD, "card.move", "es", "pasa [todo](ref) de [Doing](list) a [Done](list)", (), (),
     [("user_trello_move_card", {"in_list": "Doing", "to_list": "Done"})]),
    (K.CARD, "card.move", "en", "[paint the kitchen](topic) is done", (), (),
     [("user_trello_list_cards", {"words": "paint kitchen"}),
      ("user_trello_move_card", {"cards": [{"step": 1, "fact": "cards.0.card_id"}], "to_list": "Done"})]),
    (K.CARD, "card.move", "en", "the [second one](ref) is done", (3,), (),
     [("user_trello_move_card", {"cards": [{"handle": "card-2"}], "to_list": "Done"})]),
    (K.CARD, "card.archive", "en", "archive [everything](ref) in [Done](list)", (), (),
     [("user_trello_archive_card", {"in_list": "Done"})]),
    (K.CARD, "card.archive", "es", "archívalas", (3,), (),
     [("user_trello_archive_card", {"cards": [{"handle": "card-1"}, {"handle": "card-2"}, {"handle": "card-3"}]})]),
    (K.CARD, "card.archive", "en", "archive all [overdue](filter) cards", (3,), (),
     [("user_trello_archive_card", {"overdue": True})]),
    (K.CARD, "card.archive", "en", "archive [it](ref), it is overdue", (1,), (),
     [("user_trello_archive_card", {"cards": [{"handle": "card-1"}]})]),
    (K.CARD, "card.archive", "de", "archivier [beide](ref)", (2,), (),
     [("user_trello_archive_card", {"cards": [{"handle": "card-1"}, {"handle": "card-2"}]})]),
    (K.CARD, "card.rename", "es", "renómbra[la](ref) a [Pintar el baño](value)", (1,), (),
     [("user_trello_change_card", {"card": {"handle": "card-1"}, "name": "Pintar el baño"})]),
    (K.CARD, "card.rename", "fr", "renomme [peindre](value) en [repeindre](value)", (), (),
     [("user_trello_list_cards", {"words": "peindre"}),
      ("user_trello_change_card", {"card": {"step": 1, "fact": "cards.0.card_id"}, "name": "repeindre"})]),
    (K.CARD, "card.comment", "en", "comment on [it](ref): [the paint is here](text)", (1,), (),
     [("user_trello_comment_card", {"card": {"handle": "card-1"}, "text": "The paint is here"})]),
    (K.CARD, "card.comment", "de", "schreib drunter, dass [die Farbe da ist](reported)", (1,), (),
     [("user_trello_comment_card", {"card": {"handle": "card-1"}, "text": "Die Farbe ist da"})]),
    (K.CARD, "card.assign", "en", "give [it](ref) to [anna](to)", (1,), (),
     [("user_trello_assign_card", {"cards": [{"handle": "card-1"}], "person": "Anna"})]),
    (K.CARD, "card.unassign", "fr", "enlève [bob](from)", (1,), (),
     [("user_trello_unassign_card", {"cards": [{"handle": "card-1"}], "person": "Bob"})]),
    (K.CARD, "card.label", "de", "label [die erste](ref) mit [dringend](label)", (3,), (),
     [("user_trello_label_card", {"cards": [{"handle": "card-1"}], "name": "dringend"})]),
    (K.CARD, "card.create", "de",
     "neue Karte auf [Work](board): [Lieferanten anrufen](title), bis [Freitag](time)",
     (), (),
     [("user_trello_create_card", {"name": "Lieferanten anrufen", "board": "Work", "due": "2026-03-06T12:00"})]),
    (K.CARD, "card.create", "en", "cards in [To do](list): [bread](title), [milk](title)", (), (),
     [("user_trello_create_card", {"name": "bread", "in_list": "To do"}),
      ("user_trello_create_card", {"name": "milk", "in_list": "To do"})]),
    (K.CARD, "card.list", "de", "was liegt auf [Flat](board) in [Doing](list)?", (), (),
     [("user_trello_list_cards", {"in_list": "Doing", "board": "Flat"})]),
    (K.CARD, "card.due", "en", "the [visa](topic) is due on [the 20th](time)", (), (),
     [("user_trello_list_cards", {"words": "visa"}),
      ("user_trello_due_card", {"cards": [{"step": 1, "fact": "cards.0.card_id"}], "due": "2026-03-20T12:00"})]),
    (K.CARD, "card.due", "es", "quítale la fecha", (1,), (),
     [("user_trello_due_card", {"cards": [{"handle": "card-1"}], "due": None})]),
)  # fmt: skip
ASKED: tuple[Asked, ...] = (
    (K.CARD, "card.delete", "en", "delete all cards in [Done](list)", (), (),
     "I delete one card at a time, for that is for good. Shall I archive them?", ["Archive them"]),
    (K.CARD, "card.archive", "en", "archive the [overdue](filter) ones", (3,), (),
     "Which one do you mean?", ["The first one", "The second one", "The third one"]),
    (K.CARD, "card.archive", "en", "archive [those](ref) due [before friday](time)", (3,), (),
     "Which one do you mean?", ["The first one", "The second one", "The third one"]),
    (K.CARD, "card.read", "en", "what does [it](ref) say", (3,), (),
     "Which one do you mean?", ["The first one", "The second one", "The third one"]),
)  # fmt: skip


@pytest.mark.parametrize("case", PLANS)
def test_a_plan(case: Planned) -> None:
    *scene, plan = case
    assert planned(BUILDERS, *scene) == plan


@pytest.mark.parametrize("case", ASKED)
def test_a_question(case: Asked) -> None:
    *scene, question, buttons = case
    assert buttons_of(BUILDERS, *scene) == (question, buttons)
