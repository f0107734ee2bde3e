"""What strangers said on first contact and was done wrongly then: it is asked about, and what was right stays so."""

import pytest

from butler.orchestrator.planning.plan_types import Planned, Unclear
from tests.orchestrator.embedded.agenda_scene import plan as plan_agenda

ASKED = (
    "remind me to leave a quarter of an hour before 3pm",
    "remind me in 3 hours, not earlier, to look at the dough",
    "email Anna saying that I agree to the offer and thank her for the quick answer",
    "erinnere mich drei Tage vor Weihnachten um 10 an die Karten",
    "erinnere mich diese Woche täglich um 9, nur Donnerstag nicht, an die Zahlen",
    "trag am Donnerstag um 10 Uhr New Yorker Zeit einen Anruf mit Anna für 45 Minuten ein",
    "trag Samstag um 20 Uhr Abendessen mit Bob ein und lade Anna und Bob ein",
    "rappelle-moi chaque matin à 8h, mais pas le week-end ni le vendredi, de contrôler les pompes",
    "recuérdame cada mañana a las 8, pero no los fines de semana ni los viernes, revisar las bombas",
    "dis à Anna sur Telegram que je ne peux pas ce soir et demande-lui si dimanche lui va",
    "dile a Anna por Telegram que esta noche no puedo y pregúntale si le va bien el domingo",
    "envoie un mail à Anna pour lui dire que j'accepte l'offre et la remercier",
    "manda un correo a Anna diciendo que acepto la oferta y dale las gracias",
    "dis à Anna sur Telegram que je suis malade, mais pas à Bob",
    "dile a Anna por Telegram que estoy enfermo, pero no a Bob",
    "tell Anna on Telegram I got the parcel and thank her",
    "email Bob that the report is ready and apologise for the delay",
    "dis à Anna sur Telegram que le colis est arrivé et remercie-la",
    "dile a Anna por Telegram que estoy enfermo y deséale buen viaje",
    "tell Anna on Telegram I'm ill, but not Bob",
    "dis à Bob sur Telegram que j'arrive, mais n'en parle pas à Anna",
    "dile a Bob por Telegram que ya llego, pero no se lo digas a Anna",
    "tell Anna on Telegram tomorrow, not today, that the car is ready",
    "remind me to call mum ten minutes before 5pm",
    "erinnere mich eine Woche vor dem 24. Dezember um 9 an die Geschenke",
    "erinnere mich zwei Tage vor Silvester um 12 an die Böller",
    "remind me every day at 8, not on weekends nor on Fridays, to check the pumps",
    "remind me daily at 9 this week, just not Thursday, to send the numbers",
    "erinnere mich täglich um 8, nur sonntags nicht, an die Tablette",
    "rappelle-moi tous les jours à 8h, ni le samedi ni le dimanche, de prendre le comprimé",
    "recuérdame todos los días a las 8, ni sábados ni domingos, tomar la pastilla",
    "remind me tomorrow at 9, no wait, at 10, to call Tom",
    "put gym in my calendar on Monday and Wednesday at 18:00",
    "trag am Freitag um 12 Mittagessen mit Anna ein und lade sie ein",
)
DONE = (
    ("tell Anna on Telegram that I'm late and bring the keys", "I'm late and bring the keys"),
    ("tell Bob on Telegram the train is late but I'll make it", "The train is late but I'll make it"),
    ("remind me at 17:00 to not forget the milk", "Not forget the milk"),
    ("remind me tomorrow at 10:00 to read the chapter before Monday", "Read the chapter before Monday"),
    ("remind me tomorrow at 10:00 to pack two days before the trip", "Pack two days before the trip"),
)


@pytest.mark.parametrize("words", ASKED)
async def test_what_may_mean_more_than_was_understood_is_asked_about(words: str) -> None:
    assert isinstance(await plan_agenda(words), Unclear)


@pytest.mark.parametrize(("words", "text"), DONE)
async def test_what_is_one_request_with_one_text_is_done(words: str, text: str) -> None:
    output = await plan_agenda(words)
    assert isinstance(output, Planned)
    assert output.steps[0].args["text"] == text
