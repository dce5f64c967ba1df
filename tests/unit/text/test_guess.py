import pytest

from plait.text import guess_language

ENGLISH = """The refund is paid to the card that was charged, and it can take up to two weeks
before you see it in your account, because banks are not all equally fast."""
GERMAN = """Die Rückerstattung wird auf die Karte gezahlt, mit der bezahlt wurde, und es kann bis
zu zwei Wochen dauern, bis sie auf dem Konto ist, weil nicht alle Banken gleich schnell sind."""
FRENCH = """Le remboursement est versé sur la carte qui a été débitée, et il peut prendre jusqu'à
deux semaines avant que vous le voyiez sur votre compte, parce que les banques ne sont pas toutes
aussi rapides."""
JAPANESE = "返金は請求されたカードに行われます。銀行によって二週間ほどかかる場合があります。" * 4


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        ([ENGLISH], "en"),
        ([GERMAN], "de"),
        ([FRENCH], "fr"),
        ([*GERMAN.split(","), "E1042", ""], "de"),
        ([ENGLISH.upper()], "en"),
        ([JAPANESE], None),
        ([JAPANESE, "The API and the SDK"], None),
        ([ENGLISH, GERMAN], None),
        (
            ["E1042 socket closed; retry 3 times; timeout=30 host=db1 port=5432 user=root " * 3],
            None,
        ),
        (["the the the"], None),  # too little
        ([], None),
        ([""], None),
        (["the and"] * 15, "en"),
    ],
)
def test_guess_language(texts, expected):
    assert guess_language(texts) == expected


def test_guessing_reads_no_more_than_it_needs():
    def texts():
        yield "the cat and the dog " * 4_000
        raise AssertionError("20,000 words are enough")

    assert guess_language(texts()) == "en"
