"""Whatever library makes a file in the data folder: nobody else may read it, and none of before stays open."""

import stat

from tests.app.words import shows


def open_to_others(folder):
    return [path for path in folder.rglob("*") if path.is_file() and stat.S_IMODE(path.stat().st_mode) & 0o077]


async def test_no_file_of_the_data_folder_is_open_to_others(harness):
    home = await harness(run=False)
    (home.data / "memory" / "old").mkdir(parents=True, mode=0o700)
    before = home.data / "memory" / "old" / "of-before.lance"
    before.write_text("made by an older Butler")
    before.chmod(0o644)
    await home.start()
    home.world.say("remember that the gate code is 4711")
    await shows(home, "4711")
    await home.settled()
    await home.until(lambda: list((home.data / "memory").rglob("*.lance")), "the memory's files")
    await home.until(lambda: not open_to_others(home.data), "a folder that nobody else can read")
    home.world.say("remember that the bins go out on Tuesday")
    await shows(home, "Tuesday")
    await home.settled()
    assert open_to_others(home.data) == []
