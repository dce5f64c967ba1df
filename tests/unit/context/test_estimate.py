"""The estimate is near what tokenizers count, and above rather than below."""

from __future__ import annotations

import pytest

from plait.context import estimate_tokens


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("", 0),
        (" \t ", 0),
        ("cat", 1),
        ("refund", 1),
        ("refunds", 2),  # each begun six letters
        ("Refunds take 14 days.", 2 + 1 + 1 + 1 + 1),
        ("2024-05-01", 2 + 1 + 1 + 1 + 1),  # each begun three digits
        ("a\n\n\nb", 3),  # a group of line ends is one
        ("für", 1 + 3),  # "fr", and 2.5 for the letter with a mark, rounded up
        ("退款流程", 5),  # 4 times 1.25
        ("да", 1),  # 2 times 0.5
        ("🎉", 3),
    ],
)
def test_it_counts_as_it_says(text: str, tokens: int) -> None:
    assert estimate_tokens(text) == tokens


# What cl100k_base and o200k_base count for these texts.
@pytest.mark.parametrize(
    ("text", "cl100k", "o200k"),
    [
        (
            (
                "The customer may cancel the plan at any time; refunds are paid within fourteen "
                "days of the request."
            ),
            20,
            20,
        ),
        (
            (
                "def retrieve(self, query: str, *, top_k: int = 5) -> list[Hit]:\n"
                '    if not query.strip():\n        raise QueryError("blank")\n'
                "    return [hit for hit in self._hits if hit.score > 0.5]\n"
            ),
            54,
            54,
        ),
        ('{"id": 42, "tags": ["a", "b"], "price": 13.99, "at": "2024-05-01T10:00:00Z"}', 41, 41),
        (
            (
                "Der Kunde kann den Vertrag jederzeit kündigen; Rückzahlungen erfolgen innerhalb "
                "von vierzehn Tagen."
            ),
            28,
            19,
        ),
        (
            (
                "Le client peut résilier son abonnement à tout moment; le remboursement prend "
                "quatorze jours."
            ),
            24,
            19,
        ),
        ("用户可以随时取消订阅，退款将在十四天内到账。请登录账户并点击取消按钮。", 31, 23),
        ("ユーザーはいつでも契約を解除できます。返金には十四日かかります。", 33, 20),
        ("사용자는 언제든지 구독을 취소할 수 있습니다. 환불은 14일이 걸립니다.", 36, 24),
        (
            (
                "Пользователь может отменить подписку в любое время, а возврат средств занимает "
                "четырнадцать дней."
            ),
            39,
            22,
        ),
        ("يمكن للمستخدم إلغاء الاشتراك في أي وقت ويستغرق رد الأموال أربعة عشر يوما.", 54, 21),
        ("उपयोगकर्ता किसी भी समय सदस्यता रद्द कर सकता है और धनवापसी में चौदह दिन लगते हैं।", 85, 28),
        ("ผู้ใช้สามารถยกเลิกการสมัครได้ทุกเมื่อ และการคืนเงินใช้เวลาสิบสี่วัน", 58, 23),
    ],
)
def test_it_is_not_below_real_tokenizers_by_more_than_a_twentieth(
    text: str, cl100k: int, o200k: int
) -> None:
    assert estimate_tokens(text) >= 0.95 * max(cl100k, o200k)
    assert estimate_tokens(text) <= 1.5 * cl100k


def test_it_never_decreases_as_text_is_added() -> None:
    text = "Refunds für Kunden: 14 Tage, 退款 in 3.5 Std.\n\n🎉"
    counts = [estimate_tokens(text[:end]) for end in range(len(text) + 1)]
    assert counts == sorted(counts)
