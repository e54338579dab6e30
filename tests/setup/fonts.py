"""Font families that systems bring, each as the only one that a browser finds."""

from pathlib import Path
from typing import NamedTuple

from debian import installed

FOLDERS = (Path("/usr/share/fonts"), Path("/usr/local/share/fonts"), Path.home() / ".fonts")


class Family(NamedTuple):
    """A family: its name, the file of its upright letters, and the Debian package that has it."""

    name: str
    file: str
    package: str


# The widest first.
FAMILIES = (
    Family("DejaVu Sans", "DejaVuSans.ttf", "fonts-dejavu-core"),
    Family("Liberation Sans", "LiberationSans-Regular.ttf", "fonts-liberation"),
    Family("Noto Sans", "NotoSans-Regular.ttf", "fonts-noto-core"),
)

# Whatever a page asks for, in the end it gets the family.
CONFIGURATION = """<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir>{folder}</dir>
  <cachedir>{cache}</cachedir>
  <match target="pattern">
    <edit name="family" mode="append_last"><string>{family}</string></edit>
  </match>
</fontconfig>
"""


def folder_of(family: Family) -> Path:
    """The folder of a family, which is installed first where we may."""

    def find() -> Path | None:
        return next((path for each in FOLDERS for path in each.rglob(family.file)), None)

    missing = f"This test needs the font {family.name}: install the package {family.package}."
    return installed(family.package, find, missing).parent


def have_fonts() -> None:
    """See that all families are there, before a browser looks for fonts.

    Otherwise the pages of one run would be laid out in other fonts, from the test on that is the
    first to need a family.
    """
    for family in FAMILIES:
        folder_of(family)


def only(family: Family, folder: Path) -> Path:
    """A configuration of fontconfig, written into a folder, that knows this family alone."""
    fonts = folder_of(family)
    written = folder / f"{fonts.name}.conf"
    text = CONFIGURATION.format(folder=fonts, cache=folder / "cache", family=family.name)
    written.write_text(text, "utf-8")
    return written
