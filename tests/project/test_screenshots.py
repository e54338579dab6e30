"""The program of the pictures makes one in each size and colour, from known cards."""

import struct
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from browser import PHONE, WIDE
from screenshots import Studio, make
from staffed_tables import house_of


def test_pictures_of_a_moment(chromium: Browser, tmp_path: Path) -> None:
    """Four pictures of the bank's moment, as large as their windows, and light is not dark."""
    folder = tmp_path / "pictures"
    with house_of(tmp_path / "house", "california", guests=4) as house:
        make(Studio(chromium, house, folder), ["bank"])
    sizes = {}
    for path in folder.iterdir():
        data = path.read_bytes()
        assert data.startswith(b"\x89PNG")
        sizes[path.stem] = struct.unpack(">II", data[16:24])
    names = [f"bank-{size}-{scheme}" for size in ("phone", "wide") for scheme in ("dark", "light")]
    assert sorted(sizes) == names
    assert {sizes["bank-wide-light"], sizes["bank-phone-dark"]} == {WIDE, PHONE}
    light, dark = (folder / f"bank-wide-{scheme}.png" for scheme in ("light", "dark"))
    assert light.read_bytes() != dark.read_bytes()


@pytest.mark.parametrize("moment", ["spread", "floor"])
def test_staff_are_at_their_pages(chromium: Browser, tmp_path: Path, moment: str) -> None:
    """The moments in which staff have work to do can be made, with cards from the inventory."""
    folder = tmp_path / "pictures"
    with house_of(tmp_path / "house", "california", "maryland", guests=4) as house:
        make(Studio(chromium, house, folder, schemes=["light"]), [moment])
    sizes = {"tablet", "wide"} if moment == "floor" else {"phone", "wide"}
    assert {path.stem.split("-")[1] for path in folder.iterdir()} == sizes
