"""`wartable db`: a house's database upgraded, backed up and restored."""

import click


@click.group("db")
def command() -> None:
    """Take care of a house's database.

    Example: wartable db backup tonight.wartable
    """
