"""Where the time of a live round goes, from frame to frame: the server's processor, sampled.

python bench/shares.py [SECONDS] [CONNECTIONS]

The server is a process of its own, which looks at its own stack every millisecond of its processor.
A sample counts for the innermost function that is named here, and so for one part only.
"""

import asyncio
import collections
import os
import platform
import signal
import subprocess
import sys
import tempfile
from pathlib import Path
from types import FrameType

import clients

SECONDS = 10.0
EVERY_S = 0.001

PARTS: dict[str, str] = {
    "/table/": "decide and apply",
    "/game/": "decide and apply",
    "/ledger.py": "account",
    "/provable.py": "cards",
    "/proof.py": "cards",
    "/shoe.py": "cards",
    "/stream.py": "cards",
    "/links.py": "cards",
    "/records/journal.py": "encode and chain rows",
    "/records/keys.py": "encode and chain rows",
    "/records/chain.py": "encode and chain rows",
    "/records/results.py": "results of rounds",
    "/records/writer.py": "hand to the writer",
    "/house/wallets.py": "wallets and limits",
    "/house/limits.py": "wallets and limits",
    "/house/protection.py": "wallets and limits",
    "/tables/floor.py": "wallets and limits",
    "/tables/live.py": "the table's task",
    "/tables/versions.py": "the table's task",
    "/croupier.py": "the table's task",
    "/tables/place.py": "what is awaited",
    "/tables/listeners.py": "what is awaited",
    "/clock.py": "clock",
    "/http/wire.py": "read a message",
    "/server/": "house and connection",
    "/websockets/": "WebSocket frames",
    "/uvicorn/": "WebSocket frames",
    "/litestar/": "Litestar",
    "/asyncio/": "event loop",
}
"""The part of each file, by a piece of its path; the first that fits."""
AWAITED = ("legal", "prices")
"""Functions of the engine that are asked only to tell people what they may do."""


def part_of(frame: FrameType | None) -> str:
    """The part that a sample belongs to."""
    found = ""
    while frame is not None:
        name, path = frame.f_code.co_name, frame.f_code.co_filename
        if name in AWAITED and "/table/" in path:
            return "what is awaited"
        if name in ("write", "send") and "selector_events" in path and not found:
            found = "system calls to send"
        if name == "_read_ready__data_received" and not found:
            found = "system calls to receive"
        if not found:
            found = next((part for piece, part in PARTS.items() if piece in path), "")
        frame = frame.f_back
    return found or "other"


def serve(folder: str) -> None:
    """The house, which samples itself between two signals and then prints what it found."""
    samples: collections.Counter[str] = collections.Counter()

    def sample(_: int, frame: FrameType | None) -> None:
        samples[part_of(frame)] += 1

    def begin(*_: object) -> None:
        signal.setitimer(signal.ITIMER_PROF, EVERY_S, EVERY_S)

    def end(*_: object) -> None:
        signal.setitimer(signal.ITIMER_PROF, 0)
        for part, count in samples.most_common():
            print(f"{count} {part}", flush=True)
        print("end", flush=True)

    signal.signal(signal.SIGPROF, sample)
    signal.signal(signal.SIGUSR1, begin)
    signal.signal(signal.SIGUSR2, end)
    clients.run(clients.serve(folder))


async def shares(process: subprocess.Popen[str], host: str, seconds: float, count: int) -> None:
    """Play whole rounds, and print each part's share of the server's time for a round."""
    async with clients.playing(host, count) as guests:
        before_s, _ = clients.processor_s(process.pid)
        os.kill(process.pid, signal.SIGUSR1)
        await asyncio.sleep(seconds)
        os.kill(process.pid, signal.SIGUSR2)
        after_s, _ = clients.processor_s(process.pid)
        played = sum(len(guest.rounds_s) for guest in guests)
    assert process.stdout is not None
    found = []
    while (line := process.stdout.readline().strip()) != "end":
        number, _, part = line.partition(" ")
        found.append((int(number), part))
    total = sum(number for number, _ in found)
    round_us = (after_s - before_s) / played * 1e6
    print(f"| part | share | us a round |\n|---|---|---|\n| all | 100 % | {round_us:,.0f} |")
    for number, part in found:
        print(f"| {part} | {number / total:.1%} | {round_us * number / total:,.0f} |")


def main() -> None:
    """The shares of one run."""
    words = sys.argv[1:]
    if words[:1] == ["serve"]:
        serve(words[1])
        return
    seconds = float(words[0]) if words else SECONDS
    count = int(words[1]) if len(words) > 1 else clients.CONNECTIONS
    print(f"Python {platform.python_version()}, {os.cpu_count()} cores, {count} connections\n")
    with (
        tempfile.TemporaryDirectory() as folder,
        clients.started(Path(__file__), folder) as (process, host),
    ):
        asyncio.run(shares(process, host, seconds, count))


if __name__ == "__main__":
    main()
