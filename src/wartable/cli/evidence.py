"""`wartable evidence`: what a laboratory asks for, in one folder."""

from pathlib import Path
from typing import Any

import click

from wartable.cli import needs


@click.command("evidence")
@click.option("--out", required=True, type=click.Path(path_type=Path), help="The folder to fill.")
@click.option(
    "--project",
    default=".",
    show_default=True,
    type=click.Path(file_okay=False, path_type=Path),
    help="The project's folder, with its tests and build/results.json.",
)
@click.option("--date", help="The pack's date, such as 2026-01-31.  [default: today]")
def command(out: Path, project: Path, date: str | None) -> None:
    """Make the evidence pack. Exit 1, naming each line, if anything has lost its proof.

    The results of the tests are those that `make test` wrote, and the pictures those of `make
    screenshots`; both must be of the program and the tests as they are now.

    Example: wartable evidence --out build/evidence
    """
    needs("sim", "numba")
    needs("server", "sqlalchemy", "litestar")
    from datetime import UTC, datetime
    from tempfile import TemporaryDirectory

    import numba

    from wartable.evidence.pack import LostProof, make_pack

    day = date or datetime.now(UTC).date().isoformat()
    compiling: Any = numba.config
    kept = compiling.CACHE_DIR
    with TemporaryDirectory() as folder:
        # Numba looks only at a kernel's own file, so a kept one may be of another program.
        compiling.CACHE_DIR = folder
        try:
            parts = make_pack(out, project, day, lambda what: click.echo(f"{what} ...", err=True))
        except LostProof as error:
            click.echo(error.sentence)
            raise click.exceptions.Exit(1) from None
        finally:
            compiling.CACHE_DIR = kept
    for part in parts:
        click.echo(f"{part.title}: {', '.join(part.files)}; printed by {part.command}")
    click.echo(f"Everything has its proof. Open {out / 'index.html'}.")
