"""Spanish has words for all that the server says, and the search for English finds it."""

import re
from pathlib import Path

from hosting import Hosted
from spanish import in_spanish, left_in_english
from wartable.odds.readings import MEASURES
from wartable.rules.model import Options


def test_the_servers_words_have_words_in_spanish(tmp_path: Path) -> None:
    """Every option, value, measure, note, incident, payment, burn, wheel and closure has them."""
    found = in_spanish(tmp_path)
    assert set(MEASURES) <= set(Options.__struct_fields__)
    assert not [key for key, words in found.said.items() if words is None]
    lost = [text for text, words in found.told.items() if words is None]
    assert not [text for text in lost if re.search(r"[a-z]{2}", text)]
    assert not left_in_english(found.told.values(), found.english)


def test_a_word_of_english_is_found(tmp_path: Path) -> None:
    """The search knows English from Spanish and from names, which may stand in either."""
    english = in_spanish(tmp_path).english
    wrong = ["The cards are being dealt.", "Apuesta 10 to 1", "Tie Wager lost", "Cards"]
    wrong += ["Guest 12ab", "Invitado 12ab is away"]
    assert len(left_in_english(wrong, english)) == len(wrong)
    right = ["Las cartas se reparten.", "Tie Wager: empate", "guest-1ad30a728d", "$25", "Wartable"]
    right += ["Invitado be84", "Invitado face", "Mesa de Invitado bad1", "3f9be2"]
    assert left_in_english(right, english) == []
    assert len(english) > 700


def test_the_house_speaks_spanish(tmp_path: Path) -> None:
    """A house whose locale is Spanish sends its pages so, the lab and the check among them."""
    with Hosted(tmp_path, books=("online",), locale="es-MX") as hosted, hosted.http() as http:
        for path in ("/", "/lab", "/fairness", "/rules", "/history", "/account", "/replay"):
            sent = http.get(path).text
            assert '<html lang="es"' in sent, path
            assert 'data-locale="es-MX"' in sent, path
