"""Weak passwords are refused: common ones, repetitions, sequences; good ones are not."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wartable.server.denied import Denied
from wartable.server.house.accounts import PASSWORD_MIN, check_password
from wartable.server.house.passwords import new_token
from wartable.server.house.weak import _common_words, is_weak

WEAK = (
    "1234567890", "0123456789", "9876543210", "12345678910", " " * 10, "a" * 40, "1212121212",
    "abcabcabcabc", "abcdefghij", "zyxwvutsrq", "qwertyuiop", "poiuytrewq", "QWERTYUIOP",
    "qwertzuiop", "azertyuiop", "1qaz2wsx3edc", "asdfghjkl;", "abcdef123456", "qwerty12345",
    "password123", "Password1!", "P@ssw0rd123", "p a s s w o r d", "passwordpassword", "1password1",
    "letmein1234", "iloveyou!!", "welcome2026", "ILoveYou2026", "wartable123",
    "Wartable2026!", "wartablewartable", "casinowar1", "casino-war-1", "admin12345", "adminadmin",
    "changeme!!!", "football99", "superman2000", "m1chelle1985", "sunshine-1", "111222333444",
    "\uff50\uff41\uff53\uff53\uff57\uff4f\uff52\uff4412",
)  # fmt: skip  # a list of passwords
GOOD = (
    "correct horse battery", "three words of yours", "until she changes it", "another password",
    "the thief's own", "violet ladder 7 crumbs", "Tr4in to Ostend", "zum Bahnhof, bitte",
    "fjord-tulip-42", "xkqmzvwtpl", "7391750284", "мой дядя самых", "春眠不覚暁処処聞啼鳥",
)  # fmt: skip  # a list of passwords


@pytest.mark.parametrize("password", WEAK)
def test_a_weak_password_is_refused(password: str) -> None:
    """The sentence says what is wrong with it and what would do."""
    with pytest.raises(Denied) as refused:
        check_password("berta", password)
    assert refused.value.code == "bad_password"
    assert refused.value.sentence == (
        "This password is among the first that others would try; choose a few words that do not"
        " belong together."
    )


@pytest.mark.parametrize("password", GOOD)
def test_a_good_password_is_taken(password: str) -> None:
    """Words that do not belong together, in any script, and what a program made up."""
    check_password("berta", password)


def test_the_own_name_is_refused() -> None:
    """A password may not contain the account's name, however it is written."""
    with pytest.raises(Denied, match="not contain the name"):
        check_password("berta-the-first", "Berta-The-First")


def test_what_the_house_makes_up_is_never_weak() -> None:
    """Generated passwords pass their own rule."""
    assert not any(is_weak(new_token()) for _ in range(100))


@given(st.sampled_from(sorted(_common_words())), st.text("0123456789!?.-_ ", max_size=12))
def test_a_common_word_with_anything_behind_it(word: str, behind: str) -> None:
    """Digits and marks around a common word do not make it better."""
    assert is_weak(word + behind)
    assert is_weak(behind + word.capitalize())


@given(st.text(st.characters(max_codepoint=126), min_size=PASSWORD_MIN, max_size=60))
def test_capitals_make_no_difference(password: str) -> None:
    """A guesser tries them too."""
    assert is_weak(password) == is_weak(password.upper())


def test_the_list_is_sorted_words() -> None:
    """So that a difference shows what was added."""
    words = sorted(_common_words())
    assert len(words) > 500
    assert all(re.fullmatch("[a-z]{3,}", word) for word in words)
