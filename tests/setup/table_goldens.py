"""The golden playthroughs of whole tables: which branches they show, and how one is written anew.

A golden is a text in tests/golden_tables/. To make one, write its header and the commands after
`>`, then run `make golden NAME=tables/<name>`: the table fills in events and refusals and the
difference is printed. Read the difference: it is what changed at the table.
"""

import difflib
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from paths import TESTS
from wartable.table.playthrough import dump, parse, replay

FOLDER = TESTS / "golden_tables"

# What a golden of that name must have in it: events, or refusals after an exclamation mark.
BRANCHES = {
    "opening": "prepared cut_offered card_burned !same_person",
    "cut_refused_by_all": "cut_refused cut_made",
    "cover_card_first": "cover_card_out shoe_ended cut_offered",
    "cover_card_on_a_box": "cover_card_out shoe_ended cut_offered",
    "cover_card_on_the_dealer": "cover_card_out shoe_ended cut_offered",
    "batch_swap": "shoe_ended shoe_started !shoe_in_use",
    "floor_reshuffle": "reshuffle_ordered shoe_ended",
    "recut": "recut_ordered !cut !no_recut",
    "idle_table": "table_idle spread_turned_up prepared",
    "deck_age": "decks_received !deck_age",
    "dealer_change": "dealer_changed card_burned !round_open",
    "face_up_card": "card_set_aside",
    "drawn_in_error_unexposed": "drawn_in_error",
    "drawn_in_error_exposed": "card_set_aside",
    "box_not_dealt": "box_voided meter_unfed !box_done",
    "jam_batches": "jammed round_voided shoe_ended",
    "jam_every_round": "jammed round_voided shoe_ended",
    "jam_continuous": "jammed round_voided shoe_ended",
    "device_covered": "device_failed device_marked method_changed !device_not_marked",
    "device_signed": "device_failed device_marked method_changed !device_not_marked",
    "abandoned": "left departed !here_already",
    "absent_timeout": "chosen",
    "bank_passed_around": "bank_passed bank_taken returned",
    "bank_two_rounds": "bank_taken !not_offered",
    "bank_void_rounds": "round_voided bank_offered !not_offered",
    "sat_down_in_betting": "joined departed cards_collected !place_kept !box_full",
    "too_few_at_no_more_bets": "round_voided departed",
    "bank_untaken": "bank_untaken !no_banker",
    "bank_war": "matched",
    "backline": "returned matched !bank_box !no_seat_there",
    "award_two_winners": "award_pending award_approved meter_reset count_differed !not_floor",
    "void_after_settlements": "settled round_voided departed",
    "unopened_seal": "seed_sealed shoe_ended !seal",
    "restricted": "restricted !restriction !too_many_boxes !limit !box_full",
    "opened_seal": "seed_opened recut_ordered !no_recut",
    "deck_age_at_the_deal": "round_voided shoe_ended decks_removed !no_shoe",
}


def paths() -> list[Path]:
    """The files of all goldens."""
    return sorted(FOLDER.glob("*.txt"))


@contextmanager
def at_home() -> Iterator[None]:
    """Read the goldens' own books by the names that stand in the headers."""
    before = Path.cwd()
    os.chdir(FOLDER)
    try:
        yield
    finally:
        os.chdir(before)


def played(text: str) -> str:
    """The golden with its commands decided anew."""
    with at_home():
        return dump(replay(parse(text)))


def write_anew(path: Path) -> Iterator[str]:
    """Let the table decide the golden's commands again; yields the lines that changed."""
    old = path.read_text("utf-8")
    new = played(old)
    path.write_text(new, "utf-8")
    yield from difflib.unified_diff(
        old.splitlines(), new.splitlines(), f"{path.stem} before", "now", lineterm=""
    )


if __name__ == "__main__":
    wanted = sys.argv[1:]
    for golden in paths():
        if not wanted or f"tables/{golden.stem}" in wanted:
            for line in write_anew(golden):
                print(line)
