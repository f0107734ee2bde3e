"""Plays a scenario with a daemon that is killed at one of the points which a run that is left alone passes."""

import asyncio

from butler.store.queries import audit
from butler.store.store import Store
from tests.crash.daemon_harness import DaemonHarness
from tests.crash.scenarios import nothing_is_broken

FEEDS = (
    *("telegram_client.feed.", "gmail.account.profile", "gmail.history.", "gmail.messages.list"),
    *("gmail.messages.get_many", "smtp_imap.folder.state", "smtp_imap.account.folders", "mirror"),
)
"""What the feeds of the person's accounts do by themselves; they have a scenario of their own."""
POLLS = ("calendar.", "drive.", "trello.", "polled")
"""What looks at calendar, files and boards by itself; it is switched on in a scenario of its own."""
PUSHED = ("hook", "inbox", "telegram_bot_api.webhook.set")
"""What an update passes that is sent, until it is one like any other."""
AT_THE_START = ("commands.set", "contacts", "me.get", "cursor", "inbox.news", "weekly.schedule", "keep.begin")
OF_THE_DAY = ("digest", "wait", "watch")
"""What tells of the day, and sets when."""
"""What every life begins with, whatever is played."""
ACCOUNTS = ("telegram_client.", "gmail.", "smtp_imap.", "trello.", "qdrant.")
"""How the ids of methods begin that act on the person's accounts and servers."""
READS = (".list.", ".get.", ".get_many.", ".search.", ".fetch.", ".find.", ".account.")
AROUND = ("approval.tap", "approval.claim", "approval.end")
"""Commits around an act."""


async def play(scenario, folder, nursery, kill_at):
    """The points that the first life passed (where it was the only one), and how often the daemon died."""
    folder.mkdir()
    more = {"replaced": scenario.replaced, "work": scenario.work}
    async with scenario.beside() as beside, DaemonHarness(folder, nursery, kill_at, beside=beside, **more) as home:
        await scenario.play(home)
        await nothing_is_broken(home)
        points = home.points() if home.deaths == 0 else []
        deaths = home.deaths
    store = Store(f"sqlite:///{folder}/data/butler.db")
    try:
        assert await store.read(audit.verify) is None
    finally:
        await store.close()
    return points, deaths


async def kill_at_each(scenario, folder, nurseries, points):
    """Play it once for each point; how often a daemon was killed."""
    waiting = list(enumerate(points))
    killed = 0

    async def work(nursery):
        nonlocal killed
        while waiting:
            number, point = waiting.pop()
            try:
                _, deaths = await play(scenario, folder / f"kill-{number}", nursery, point)
            except BaseException:
                # Whatever it was about to answer is nothing for the next one.
                nursery.close()
                raise
            killed += deaths

    async with asyncio.TaskGroup() as group:
        for nursery in nurseries:
            group.create_task(work(nursery))
    return killed


def worth_killing_at(points):
    """Every point once, apart from the feeds; of the look that comes again every second, the first two."""
    apart = [point for point in points if not _of(point, FEEDS)]
    return list(dict.fromkeys(p for p in apart if "inbox.news" not in p or p.endswith(("#1", "#2"))))


def done_with_a_card(points):
    """What is left without the feeds and without what every life begins with."""
    return [point for point in points if not _at_the_start(point) and not _of(point, FEEDS)]


def sampled(points, most):
    """One point of each label, before and after by turns, and of the others as many as fit, evenly: about `most`."""
    labels = list(dict.fromkeys(label_of(point) for point in points))
    firsts = {_first(points, label, "after" if number % 2 else "before") for number, label in enumerate(labels)}
    others = [point for point in points if point not in firsts]
    room = max(1, most - len(firsts))
    step = max(1, len(others) // room)
    chosen = firsts | set(others[step // 2 :: step][:room])
    return [point for point in points if point in chosen]


def a_few(points, most):
    """So many of these, evenly; the calls before the commits, since what left cannot be taken back."""
    calls = [point for point in points if "-call:" in point]
    commits = [point for point in points if point not in calls]
    step = max(1, len(commits) // max(1, most - len(calls)))
    chosen = [*calls, *commits[step // 2 :: step]][:most]
    return [point for point in points if point in chosen]


def amid_acts(points):
    """Before and after each act on the person's accounts that the last yes leads to, once at each reading, and between.

    Before each note of an attempt it is not known yet what had just been done. The commits of the daemon are all tried
    elsewhere; here only those around an act.
    """
    own = [p for p in points if _of(p, ACCOUNTS) and not _of(p, FEEDS) and not _at_the_start(p)]
    yes = points.index(_last(points, "approval.tap", "before"))
    chosen = {p for p in points[yes:] if p.startswith("before-commit:approval.progress#")}
    for number, label in enumerate([*AROUND, *dict.fromkeys(label_of(p) for p in own if _is_reading(label_of(p)))]):
        chosen.add(_last(points, label, ("before", "after")[number % 2]))
    acts = [p for p in points[yes:] if p in own and not _is_reading(label_of(p))]
    chosen |= {_last(acts, label_of(p), moment) for p in acts for moment in ("before", "after")}
    return [point for point in points if point in chosen]


def amid_a_call(points, most):
    """What opens the room, makes the links and sends one; the chat's own ways are tried elsewhere."""
    ends = ("livekit.", "propose", "step", "plan_done", "sent", "approval.", "telegram_client.", "settle")
    chat = ("telegram_bot_api.messages.send.",)
    return sampled([p for p in done_with_a_card(points) if _of(p, (*ends, *chat))], most)


def amid_bulk(points):
    """Before and after each commit of a run, and around what it asks of the provider; every one of them once."""
    own = [point for point in points if label_of(point).startswith(("bulk.", "gmail.messages.batch_modify"))]
    return list(dict.fromkeys(own))


def amid_feeds(points, most):
    """Each kind of call of the feeds once, before or after, and `most` of the commits of what they brought."""
    own = [point for point in points if _of(point, FEEDS)]
    commits = [point for point in own if label_of(point) == "mirror"]
    labels = dict.fromkeys(label_of(point) for point in own if point not in commits)
    calls = {_first(own, label, ("before", "after")[number % 2]) for number, label in enumerate(labels)}
    # An odd step, so that both sides are among them.
    step = (len(commits) // most) | 1
    chosen = calls | set(commits[step // 2 :: step][:most])
    return [point for point in points if point in chosen]


def amid_polls(points, most):
    """The same of what looks at calendar, files and boards."""
    own = [point for point in points if _of(point, POLLS)]
    commits = [point for point in own if label_of(point) == "polled"]
    labels = dict.fromkeys(label_of(point) for point in own if point not in commits)
    calls = {_first(own, label, ("before", "after")[number % 2]) for number, label in enumerate(labels)}
    chosen = calls | set(commits[-most:])
    return [point for point in points if point in chosen]


def amid_updates(points):
    """Around every commit of what Telegram sends to the webhook, and around setting that."""
    return list(dict.fromkeys(point for point in points if _of(point, PUSHED)))


def amid_the_day(points):
    """Around every commit of what tells of the day, apart from what every start does."""
    own = (point for point in points if _of(point, OF_THE_DAY) and not _of(point, ("digest.begin", "waits.begin")))
    return list(dict.fromkeys(own))


def label_of(point):
    """The label of a commit or the id of a method, without the moment."""
    return point.partition(":")[2].rpartition("#")[0]


def _of(point, beginnings):
    return label_of(point).startswith(beginnings)


def _at_the_start(point):
    return any(what in point for what in AT_THE_START)


def _is_reading(label):
    return any(part in label for part in READS)


def _first(points, label, moment):
    """The first point of a label, before or after it if there is both: a call may not have come back at the end."""
    of_label = [point for point in points if label_of(point) == label]
    return next((point for point in of_label if point.startswith(moment)), of_label[0])


def _last(points, label, moment):
    return _first(points[::-1], label, moment)
