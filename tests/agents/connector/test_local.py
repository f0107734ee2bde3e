# ruff: noqa: ASYNC240 - a test may wait for a small file
"""Files of this machine: what lies in the folders of the settings, and nothing by any way around them."""

import errno
import os
import stat
import threading
from pathlib import Path
from typing import Any

import pytest

from butler.agents.connector.failures import NotFetchedError
from butler.agents.connector.local import LocalFetcher
from butler.agents.connector.local_roots import Roots
from butler.contract.agent_ports import FolderListing
from butler.contract.agents import AgentFailure, ConnectorInput, ConnectorOutput
from butler.contract.errors import AgentErrorCode, ConfigError
from config.agents import ConnectorSettings


class Machine:
    """`papers` is open, `secrets` beside it is not."""

    def __init__(self, base: Path) -> None:
        self.papers, self.secrets, self.into = base / "papers", base / "secrets", base / "into"
        for folder in (self.papers, self.secrets, self.into, self.papers / "2026"):
            folder.mkdir()
        (self.papers / "a.txt").write_text("hello")
        (self.papers / "2026" / "b.md").write_text("# Notes")
        (self.secrets / "key.txt").write_text("top secret")

    def fetcher(self, **settings: object) -> LocalFetcher:
        values = {"roots": (str(self.papers),)} | settings
        return LocalFetcher(ConnectorSettings(**values), never=(self.papers / "butler",))

    async def fetch(self, path: object, *, recursive: bool = False, **settings: object):
        given = ConnectorInput(source_type="local", source_identifier=str(path), recursive=recursive)
        return await self.fetcher(**settings).fetch(given, self.into)

    async def refused(self, path: object, **options: object) -> AgentFailure:
        result = await self.fetch(path, **options)
        assert isinstance(result, AgentFailure), result
        assert not any(b"secret" in file.read_bytes() for file in self.into.iterdir())
        return result


@pytest.fixture(name="machine")
def made(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


@pytest.mark.parametrize("form", ["{papers}/a.txt", "a.txt", "./2026/../a.txt", " {papers}/2026/../a.txt "])
async def test_a_file_of_an_open_folder_is_copied(machine: Machine, form: str):
    result = await machine.fetch(form.format(papers=machine.papers))
    assert isinstance(result, ConnectorOutput)
    copy = Path(result.file_path)
    assert copy.read_text() == "hello"
    assert (copy.parent, copy.name, stat.S_IMODE(copy.stat().st_mode)) == (machine.into, "000.txt", 0o600)
    assert result.source_id == f"local:{machine.papers}/a.txt"
    assert result.name == "a.txt"


async def test_a_folder_may_be_named_as_its_owner_calls_it(machine: Machine):
    for form in ("papers/a.txt", "papers/2026/../a.txt"):
        assert isinstance(result := await machine.fetch(form), ConnectorOutput)
        assert result.source_id == f"local:{machine.papers}/a.txt"
    for form in ("papers", "papers/"):
        assert isinstance(await machine.fetcher().listing(form), FolderListing)
    await machine.refused("papers/../secrets/key.txt")


def test_an_open_folder_is_a_whole_path(machine: Machine):
    with pytest.raises(ConfigError, match=r"roots in \[connector\]: 'papers' is no whole path"):
        machine.fetcher(roots=("papers",))


async def test_folders_that_are_not_there_are_told(machine: Machine):
    failure = await machine.refused("a.txt", roots=("/not/there",))
    assert failure.message == "none of the folders that may be read is there: /not/there (roots in [connector])"


@pytest.mark.parametrize(
    "path",
    [
        "{secrets}/key.txt",
        "../secrets/key.txt",
        "{papers}/../secrets/key.txt",
        "{papers}/2026/../../secrets/key.txt",
        "{papers}x/key.txt",
        "/etc/passwd",
        "/proc/self/environ",
        "/dev/zero",
        "~root/.ssh/id_rsa",
        "file:///etc/passwd",
        "",
        "\0",
        "a.txt\0.pdf",
        "{papers}/\udcff",
    ],
)
async def test_a_path_that_leads_elsewhere_is_refused(machine: Machine, path: str):
    failure = await machine.refused(path.format(papers=machine.papers, secrets=machine.secrets))
    # A scheme is no part of a path, so that one is a file of this name within the folder.
    is_inside = path.startswith("file:")
    assert failure.error_code == (AgentErrorCode.CONNECTOR_NOT_FOUND if is_inside else AgentErrorCode.REFUSED)


async def test_a_refusal_says_what_to_set(machine: Machine):
    failure = await machine.refused(machine.secrets / "key.txt")
    assert "add its folder to roots in [connector]" in failure.message
    assert str(machine.papers) in failure.message
    closed = await machine.refused("a.txt", roots=())
    assert closed.message == "no files of this machine may be read yet; add a folder to roots in [connector]"


async def test_whether_a_file_outside_is_there_cannot_be_told(machine: Machine):
    there = await machine.refused(machine.secrets / "key.txt")
    absent = await machine.refused(machine.secrets / "not.txt")
    assert there.message.replace("key", "not") == absent.message


async def test_a_link_out_is_not_followed_and_a_link_inside_is(machine: Machine):
    (machine.papers / "out.txt").symlink_to(machine.secrets / "key.txt")
    (machine.papers / "outside").symlink_to(machine.secrets)
    (machine.papers / "relative.txt").symlink_to("../secrets/key.txt")
    (machine.papers / "chain.txt").symlink_to("out.txt")
    (machine.papers / "loop").symlink_to("loop")
    (machine.papers / "in.txt").symlink_to("2026/b.md")
    for name in ("out.txt", "outside/key.txt", "relative.txt", "chain.txt", "loop"):
        await machine.refused(machine.papers / name)
    assert isinstance(result := await machine.fetch("in.txt"), ConnectorOutput)
    assert result.source_id == f"local:{machine.papers}/2026/b.md"


@pytest.mark.parametrize("swapped", ["2026", "2026/b.md"])
def test_a_link_that_is_put_in_after_the_look_opens_nothing(machine: Machine, swapped: str):
    roots = Roots([str(machine.papers)])
    root, real = roots.find("2026/b.md")
    (machine.secrets / "b.md").write_text("top secret")
    victim = machine.papers / swapped
    victim.rename(machine.papers / "moved")
    victim.symlink_to(machine.secrets / ("b.md" if swapped.endswith("md") else ""))
    with pytest.raises(NotFetchedError), roots.opened(root, real):
        raise AssertionError("opened")


def test_a_folder_that_is_swapped_all_the_time_never_lets_a_secret_out(machine: Machine):
    roots, stop = Roots([str(machine.papers)]), threading.Event()
    (machine.secrets / "b.md").write_text("top secret")
    flip, real_folder = machine.papers / "2026", machine.papers / "real"
    flip.rename(real_folder)

    def swap() -> None:
        while not stop.is_set():
            flip.symlink_to(machine.secrets)
            flip.unlink()
            real_folder.rename(flip)
            flip.rename(real_folder)

    thread = threading.Thread(target=swap)
    thread.start()
    opened = 0
    try:
        for _ in range(1_500):
            try:
                root, real = roots.find(str(flip / "b.md"))
                with roots.opened(root, real) as (handle, _found):
                    assert os.read(handle, 100) == b"# Notes"
                    opened += 1
            except NotFetchedError:
                pass
    finally:
        stop.set()
        thread.join()


async def test_hidden_files_and_the_butlers_own_are_never_read(machine: Machine):
    (machine.papers / ".ssh").mkdir()
    (machine.papers / "butler").mkdir()
    for path in (".ssh/id", ".env", "butler/butler.db"):
        (machine.papers / path).write_text("top secret")
    (machine.papers / "alias").symlink_to(".env")
    assert "begin with a dot" in (await machine.refused(".ssh/id")).message
    assert "begin with a dot" in (await machine.refused(".env")).message
    assert "begin with a dot" in (await machine.refused("alias")).message
    assert (
        await machine.refused("butler/butler.db")
    ).message == "Butler's own files and those of the system are not read"
    listing = await machine.fetcher().listing(str(machine.papers))
    assert isinstance(listing, FolderListing)
    assert [Path(entry.path).name for entry in listing.entries] == ["2026", "a.txt"]
    whole = await machine.fetch(".", recursive=True)
    assert isinstance(whole, ConnectorOutput)
    assert [child.name for child in whole.children] == ["a.txt", "b.md"]


async def test_what_the_system_says_of_itself_is_closed_even_where_everything_is_open(machine: Machine):
    for path in ("/proc/self/environ", "/proc/1/cmdline", "/sys/kernel/mm", "/dev/null", "/run/secrets"):
        failure = await machine.refused(path, roots=("/",))
        assert failure.message == "Butler's own files and those of the system are not read"
    assert isinstance(await machine.fetch(machine.papers / "a.txt", roots=("/",)), ConnectorOutput)


async def test_what_is_no_file_is_refused_at_once(machine: Machine):
    os.mkfifo(machine.papers / "pipe")
    assert "neither a file nor a folder" in (await machine.refused("pipe")).message
    assert "is a folder" in (await machine.refused("2026")).message
    assert "there is no file" in (await machine.refused("not.txt")).message
    (machine.papers / "program").write_bytes(b"\x7fELF\x01")
    assert (await machine.refused("program")).error_code == AgentErrorCode.PARSER_UNSUPPORTED


async def test_a_file_that_may_not_be_read_is_told(machine: Machine, monkeypatch: pytest.MonkeyPatch):
    (machine.papers / "a.txt").chmod(0)
    opened = os.open

    def as_anybody(path: Any, *args: Any, **more: Any) -> int:
        """The system's own answer to everybody but root, who may read everything."""
        if str(path).endswith("a.txt"):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), path)
        return opened(path, *args, **more)

    if os.geteuid() == 0:
        monkeypatch.setattr(os, "open", as_anybody)
    failure = await machine.refused("a.txt")
    assert failure.error_code == AgentErrorCode.CONNECTOR_AUTH


async def test_a_file_that_is_too_large_is_not_copied(machine: Machine):
    with (machine.papers / "big.txt").open("wb") as file:
        file.truncate(10**12)
    assert "larger than the 1 MB" in (await machine.refused("big.txt", largest_mb=1)).message
    assert sum(path.stat().st_size for path in machine.into.iterdir()) == 0


async def test_a_folder_is_its_list_with_its_files_in_order_and_what_was_left_out_is_told(machine: Machine):
    deep = machine.papers / "2026" / "x" / "y"
    deep.mkdir(parents=True)
    (deep / "deep.txt").write_text("deep")
    (machine.papers / "out.txt").symlink_to(machine.secrets / "key.txt")
    (machine.papers / "outside").symlink_to(machine.secrets)
    (machine.papers / "2026" / "song.bin").write_bytes(bytes(20))
    os.mkfifo(machine.papers / "pipe")
    whole = await machine.fetch(machine.papers, recursive=True)
    assert isinstance(whole, ConnectorOutput)
    assert Path(whole.file_path).read_text() == "a.txt\n2026/b.md"
    assert [child.source_id for child in whole.children] == [
        f"local:{machine.papers}/a.txt",
        f"local:{machine.papers}/2026/b.md",
    ]
    assert whole.skipped == [
        "outside: it is a link to another folder",
        "out.txt: it is a link to another file",
        "pipe: it is no file",
        "song.bin: it is no kind of file that Butler reads",
        f"{machine.papers}/2026/x: folders further down were not read (depth in [connector])",
    ]


async def test_files_of_a_folder_are_capped_and_the_rest_is_told(machine: Machine):
    for number in range(9):
        (machine.papers / f"{number}.txt").write_text(f"file {number}")
    whole = await machine.fetch(machine.papers, recursive=True, most_pages=3)
    assert isinstance(whole, ConnectorOutput)
    assert [child.name for child in whole.children] == ["0.txt", "1.txt", "2.txt"]
    assert whole.skipped == [
        "further files were not read: at most 3 files are read at once (most_pages in [connector])"
    ]


async def test_an_empty_folder_says_so(machine: Machine):
    (machine.papers / "empty").mkdir()
    assert "it is empty" in (await machine.refused("empty", recursive=True)).message


async def test_folders_are_listed_from_the_open_ones_down(machine: Machine, tmp_path: Path):
    fetcher = machine.fetcher(roots=(str(machine.papers), str(tmp_path / "not there")))
    roots = await fetcher.listing()
    assert isinstance(roots, FolderListing)
    assert [(entry.path, entry.is_folder) for entry in roots.entries] == [(str(machine.papers), True)]
    inside = await fetcher.listing("2026")
    assert isinstance(inside, FolderListing)
    assert [(entry.path, entry.size) for entry in inside.entries] == [(f"{machine.papers}/2026/b.md", 7)]
    first = await fetcher.listing(str(machine.papers), limit=1)
    assert isinstance(first, FolderListing)
    assert (len(first.entries), first.more) == (1, 1)
    for folder in ("..", str(machine.secrets), "a.txt"):
        assert isinstance(await fetcher.listing(folder), AgentFailure)
    closed = await machine.fetcher(roots=()).listing()
    assert isinstance(closed, AgentFailure)
    assert "add a folder to roots in [connector]" in closed.message


async def test_a_file_of_a_folder_that_cannot_be_read_costs_that_file_only(machine: Machine):
    (machine.papers / "0.bin").write_bytes(bytes(20))
    (machine.papers / "1.txt").write_bytes(b"x" * 1_100_000)
    (machine.papers / "2.txt").write_text("after them")
    whole = await machine.fetch(machine.papers, recursive=True, largest_mb=1)
    assert isinstance(whole, ConnectorOutput)
    assert [child.name for child in whole.children] == ["2.txt", "a.txt", "b.md"]
    assert [Path(child.file_path).read_text() for child in whole.children] == ["after them", "hello", "# Notes"]
    assert [sentence.partition(":")[0] for sentence in whole.skipped] == ["0.bin", "1.txt"]
    # What is of no use leaves no copy behind.
    assert len(list(machine.into.iterdir())) == 1 + len(whole.children)


async def test_a_folder_inside_that_may_not_be_read_is_told(machine: Machine, monkeypatch: pytest.MonkeyPatch):
    (machine.papers / "closed").mkdir()
    real = os.open

    def opens(path, flags, *args, **options):
        if path == "closed":
            raise PermissionError(13, "Permission denied", path)
        return real(path, flags, *args, **options)

    monkeypatch.setattr(os, "open", opens)
    whole = await machine.fetch(machine.papers, recursive=True)
    assert isinstance(whole, ConnectorOutput)
    assert whole.skipped == ["closed: this folder cannot be read (Permission denied)"]
