# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# boto3 makes its clients at run time, so nothing of them is typed.
"""SeaweedFS as an S3 server: one for a run, with a bucket for each; it refuses keys and signatures that are wrong."""

import atexit
import json
import secrets
import shutil
import sys
from collections.abc import Hashable
from dataclasses import dataclass
from functools import cache
from itertools import count
from pathlib import Path
from typing import Any

from boto3.session import Session
from botocore.config import Config
from botocore.exceptions import ClientError

from tests.services.support import Foreground, accepts, free_ports, make_folder, need_binary

_NUMBERS = count(1)
_ADMIN = ("AKADMIN", secrets.token_urlsafe(24))
BUTLER = ("AKBUTLER0000000000", secrets.token_urlsafe(24))
"""Reads and writes what is in buckets, and makes none."""


class Seaweed:
    """A running server."""

    def __init__(self) -> None:
        weed = need_binary("weed", Path(sys.executable).parent)
        self._folder = make_folder("seaweed")
        (self._folder / "data").mkdir()
        config = self._folder / "s3.json"
        config.write_text(
            json.dumps({"identities": [_identity("admin", _ADMIN, "Admin"), _identity("butler", BUTLER)]})
        )
        names = ("master", "volume", "filer", "s3")
        *ports, last = free_ports(2 * len(names))
        self._port = last
        argv = [str(weed), "-logtostderr", "server", "-ip=127.0.0.1", "-ip.bind=127.0.0.1", f"-dir={self._folder}/data"]
        argv += ["-filer", "-s3", f"-s3.config={config}", "-s3.port.iceberg=0", "-s3.port.lance=0"]
        argv += ["-master.telemetry=false", "-volume.max=5000", "-master.volumeSizeLimitMB=64"]
        for name, port, grpc in zip(names, [*ports[:3], last], ports[3:], strict=True):
            argv += [f"-{name}.port={port}", f"-{name}.port.grpc={grpc}"]
        self._process = Foreground(argv, self._folder / "seaweed.log")
        self._process.wait_ready(lambda: accepts(self._port))
        self._admin = self._client(*_ADMIN)
        self._process.wait_ready(self._takes_buckets)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._port}"

    def bucket(self) -> "Bucket":
        """A new, empty one."""
        name = f"files-{next(_NUMBERS)}"
        self._admin.create_bucket(Bucket=name)
        return Bucket(self._admin, self.url, name)

    def stop(self) -> None:
        self._process.stop()
        shutil.rmtree(self._folder, ignore_errors=True)

    def _takes_buckets(self) -> bool:
        try:
            self._admin.create_bucket(Bucket="files-0")
            self._admin.put_object(Bucket="files-0", Key="first", Body=b"is the volume there?")
        except ClientError:
            return False
        return True

    def _client(self, access_key: str, secret_key: str) -> Any:
        return Session().client(
            "s3",
            endpoint_url=self.url,
            aws_access_key_id=access_key,
            aws_secret_access_key=secret_key,
            region_name="auto",
            config=Config(s3={"addressing_style": "path"}, proxies={}),
        )


@dataclass(frozen=True)
class Bucket:
    """A bucket, as whoever runs the server sees it."""

    admin: Any
    url: str
    name: str

    def put(self, key: str, content: bytes, media_type: str = "text/plain") -> None:
        """Put something there, as some other program of the person's does."""
        self.admin.put_object(Bucket=self.name, Key=key, Body=content, ContentType=media_type)

    def delete(self, key: str) -> None:
        self.admin.delete_object(Bucket=self.name, Key=key)

    def get(self, key: str) -> bytes:
        return self.admin.get_object(Bucket=self.name, Key=key)["Body"].read()

    def head(self, key: str) -> dict[str, Any]:
        return self.admin.head_object(Bucket=self.name, Key=key)

    def state(self) -> Hashable:
        """Every object and what it is."""
        listed = self.admin.list_objects_v2(Bucket=self.name).get("Contents", [])
        return tuple((one["Key"], one["ETag"]) for one in listed)

    def unfinished(self) -> int:
        """How many uploads in parts are open."""
        return len(self.admin.list_multipart_uploads(Bucket=self.name).get("Uploads", []))


@cache
def server() -> Seaweed:
    """The one of this run; it ends with it."""
    started = Seaweed()
    atexit.register(started.stop)
    return started


def _identity(name: str, key: tuple[str, str], *more: str) -> dict[str, Any]:
    credentials = [{"accessKey": key[0], "secretKey": key[1]}]
    return {"name": name, "credentials": credentials, "actions": ["Read", "Write", *more]}
