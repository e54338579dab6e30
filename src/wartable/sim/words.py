"""The generator's output for batteries of tests: `python -m wartable.sim.words`."""

import sys

import click
import numpy as np

from wartable.sim import counters, kernels

BLOCKS = 1024


@click.command()
@click.option("--seed", type=int, default=1, show_default=True)
@click.option("--chunk", type=int, default=0, show_default=True)
def main(seed: int, chunk: int) -> None:
    """Write the words of a chunk's sixteen lanes until the reader stops."""
    lanes = counters.lanes(counters.streams(seed, chunk), 0)
    words = np.empty(64 * BLOCKS, np.uint64)
    try:
        while True:
            kernels.fill(lanes, words, BLOCKS)
            sys.stdout.buffer.write(words.tobytes())
    except BrokenPipeError:
        sys.stderr.close()


if __name__ == "__main__":
    main()
