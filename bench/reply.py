"""How fast the daemon answers, beside echo bots of two libraries on the same stand-in, in interleaved rounds.

The daemon does all it does for a message: it stores it, plans (a planner that says the words back), stores the answer,
sends it and notes where it stands, all on a durable database file. The echo bots keep nothing.
"""

import argparse
import asyncio
import json
import statistics
import tempfile
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

from bench.chatter import OWNER, Burst, Chatter, p50
from bench.machine import report, table
from bench.processes import Program, program
from butler_demo.botapi.server import BotApiServer

BUTLER, PTB, AIOGRAM = "Butler", "python-telegram-bot", "aiogram"
TOKENS = {BUTLER: "700000001:butler", PTB: "700000002:ptb", AIOGRAM: "700000003:aiogram"}
GROUPS = [-100_200_000_000_0 - number for number in range(16)]


@dataclass(slots=True)
class Results:
    """Of one bot, a value a round."""

    p50_ms: list[float] = field(default_factory=list)
    times: list[float] = field(default_factory=list)
    bursts: list[Burst] = field(default_factory=list)


def start(name: str, url: str, folder: Path) -> tuple[str, ...]:
    """Python's arguments that run a bot."""
    if name == BUTLER:
        return ("-m", "bench.echo_butler", str(write_config(folder, url, TOKENS[name])))
    return ("-m", "bench.echo_ptb" if name == PTB else "bench.echo_aiogram", url, TOKENS[name])


def write_config(folder: Path, url: str, token: str) -> Path:
    """A configuration of the bot identity only."""
    secrets = folder / "secrets.env"
    secrets.touch(mode=0o600)
    secrets.write_text(f"BUTLER_TELEGRAM_TOKEN={token}\n", encoding="ascii")
    config = folder / "butler.toml"
    config.write_text(
        f"""[owner]
telegram_user_id = {OWNER}
[web]
port = 0
[modules.telegram.bot]
api_base_url = {json.dumps(url)}
allowed_groups = {json.dumps(GROUPS)}
""",
        encoding="ascii",
    )
    return config


async def measure(rounds: int, messages: int, burst: int) -> dict[str, Results]:
    """All bots against one server; in each round each bot has its turn."""
    server = BotApiServer(validate=False)
    await server.start()
    server.add_person(OWNER, "Owner")
    for group in GROUPS:
        server.add_supergroup(group, f"Group {-group}")
    for name, token in TOKENS.items():
        server.add_bot(token, name.replace("-", "_") + "_bot", name)
    results = {name: Results() for name in TOKENS}
    with ExitStack() as stack:
        bots: dict[str, tuple[Program, Chatter]] = {}
        for name, token in TOKENS.items():
            folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
            bot = stack.enter_context(program(*start(name, server.url, folder), log=folder / "log"))
            chatter = Chatter(server, token, GROUPS)
            await chatter.ready(bot)
            await chatter.one_at_a_time(20)  # the first messages find nothing warm
            bots[name] = bot, chatter
        for _ in range(rounds):
            for name, (bot, chatter) in bots.items():
                times = await chatter.one_at_a_time(messages)
                results[name].times += times
                results[name].p50_ms.append(p50(times))
                results[name].bursts.append(await chatter.burst(burst, bot))
    await server.stop()
    return results


def ratio(results: dict[str, Results], other: str, value: str) -> float:
    """The median over the rounds of ours over theirs, so that a busy moment of the machine does not decide."""
    ours, theirs = results[BUTLER], results[other]
    if value == "p50":
        pairs = zip(ours.p50_ms, theirs.p50_ms, strict=True)
    else:
        pairs = zip([b.per_s for b in ours.bursts], [b.per_s for b in theirs.bursts], strict=True)
    return round(statistics.median(a / b for a, b in pairs), 3)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.reply", description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--messages", type=int, default=100, help="one at a time, a round and bot")
    parser.add_argument("--burst", type=int, default=2000, help="at once, a round and bot")
    options = parser.parse_args()
    results = asyncio.run(measure(options.rounds, options.messages, options.burst))
    rows = []
    for name, result in results.items():
        p90 = statistics.quantiles(result.times, n=10)[-1]
        per_s = statistics.median(burst.per_s for burst in result.bursts)
        cpu = statistics.median(burst.cpu_ms for burst in result.bursts)
        wrong = sum(burst.wrong for burst in result.bursts)
        late = sum(burst.out_of_order for burst in result.bursts)
        rows.append([name, f"{p50(result.times):.2f}", f"{p90:.2f}", f"{per_s:.0f}", f"{cpu:.2f}", wrong, late])
    table(["bot", "p50 ms", "p90 ms", "messages/s", "CPU ms each", "wrong", "out of order"], rows)
    ours = results[BUTLER]
    report(
        "reply",
        {
            "p50_vs_ptb": ratio(results, PTB, "p50"),
            "p50_vs_aiogram": ratio(results, AIOGRAM, "p50"),
            "throughput_vs_ptb": ratio(results, PTB, "per_s"),
            "throughput_vs_aiogram": ratio(results, AIOGRAM, "per_s"),
        },
        {
            "out_of_order": sum(burst.out_of_order for burst in ours.bursts),
            "wrong": sum(burst.wrong for burst in ours.bursts),
            "p50_ms": round(p50(ours.times), 2),
            "messages_per_s": round(statistics.median(burst.per_s for burst in ours.bursts), 1),
            "cpu_ms_per_message": round(statistics.median(burst.cpu_ms for burst in ours.bursts), 3),
        },
    )


if __name__ == "__main__":
    main()
