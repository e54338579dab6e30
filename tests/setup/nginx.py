"""A proxy before several servers: nginx, as docs/operate.md has it, on a loopback port."""

import os
import re
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import httpx

from debian import installed
from operate_page import blocks
from postgres import free_port
from waiting import DEEP_S, WAIT_S, living, until

SECTION = "Three servers behind nginx, from nothing"
WHOLE = """
daemon off;
{user}
worker_processes 1;
pid {folder}/pid;
error_log {folder}/error.log;
events {{ worker_connections 512; }}
http {{
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    {site}
}}
"""
"""What Debian's own configuration has around the site, without other users and folders."""
MISSING = "nginx is missing; install the Debian package nginx-light."


def binary() -> str | None:
    """The program."""
    return shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin")


class Proxy:
    """The proxy, and where clients find it."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.port = folder, free_port()

    @property
    def log(self) -> str:
        """What it has logged of the requests."""
        return (self.folder / "wartable.log").read_text()


def site(folder: Path, port: int, servers: Sequence[int], address: str) -> str:
    """The configuration of the page, for servers at these ports, which see it at that address.

    It speaks plain HTTP here: a certificate would prove nothing more about the servers.
    """
    (text,) = blocks(SECTION, "nginx")
    found = iter(servers)
    text = re.sub(r"192\.0\.2\.\d+:8000", lambda _: f"127.0.0.1:{next(found)}", text)
    text = text.replace("listen 443 ssl;", f"listen 127.0.0.1:{port};")
    text = re.sub(r"^ *ssl_.*\n", "", text, flags=re.MULTILINE)
    text = text.replace("/var/log/nginx", str(folder))
    return text.replace("proxy_pass", f"proxy_bind {address}; proxy_pass")


@contextmanager
def running(folder: Path, servers: Sequence[int], address: str = "127.0.0.1") -> Iterator[Proxy]:
    """The proxy before the servers at these ports, until the end of the block."""
    program = installed("nginx-light", binary, MISSING)
    folder.mkdir()
    proxy = Proxy(folder)
    whole = folder / "nginx.conf"
    user = "user root;" if os.geteuid() == 0 else ""  # who owns the folder
    text = site(folder, proxy.port, servers, address)
    whole.write_text(WHOLE.format(folder=folder, user=user, site=text))
    words = [program, "-e", f"{folder}/error.log", "-p", str(folder), "-c", str(whole)]
    process = subprocess.Popen(words)
    with living(process, DEEP_S):
        until(lambda: _answers(proxy) or process.poll() is not None, "nginx does not answer")
        assert process.poll() is None, (folder / "error.log").read_text()
        try:
            yield proxy
        finally:
            process.terminate()
            process.wait(WAIT_S)  # killed sooner, it would leave its worker behind


def _answers(proxy: Proxy) -> bool:
    try:
        return bool(httpx.get(f"http://127.0.0.1:{proxy.port}/metrics").status_code == 403)
    except httpx.TransportError:
        return False
