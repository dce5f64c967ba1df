import pytest

from plait.text.identifiers import terms_of


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("socket", ["socket"]),
        ("Socket", ["socket"]),
        ("HTTP", ["http"]),
        ("C", ["c"]),
        ("2024", ["2024"]),
        ("E1042", ["e1042", "e", "1042"]),
        ("E-1042", ["e1042", "e", "1042"]),
        ("snake_case", ["snakecase", "snake", "case"]),
        ("user_id", ["userid", "user", "id"]),
        ("userId", ["userid", "user", "id"]),
        ("getUserName", ["getusername", "get", "user", "name"]),
        ("XMLHttpRequest", ["xmlhttprequest", "xml", "http", "request"]),
        ("PDFs", ["pdfs", "pdf"]),
        ("IPv6", ["ipv6", "ip", "6"]),
        ("iPhone15Pro", ["iphone15pro", "i", "phone", "15", "pro"]),
        ("v1.2.3", ["v1.2.3", "v", "1.2.3"]),
        ("python3.11", ["python3.11", "python", "3.11"]),
        ("1.5", ["1.5"]),
        ("2024-01-15", ["2024-01-15", "2024", "01", "15"]),
        ("CVE-2021-44228", ["cve-2021-44228", "cve", "2021", "44228"]),
        ("C++", ["c++", "c"]),
        ("C#", ["c#", "c"]),
        ("C++17", ["c++17", "c++", "c", "17"]),
        ("g++", ["g++", "g"]),
        ("node.js", ["nodejs", "node", "js"]),
        ("user's", ["users", "user"]),
        ("don't", ["dont", "don"]),
        ("O’Brien", ["obrien", "o", "brien"]),
        ("l'avion", ["lavion", "l", "avion"]),
        ("state-of-the-art", ["stateoftheart", "state", "of", "the", "art"]),
        ("state‐of", ["stateof", "state", "of"]),
        ("vitamin-C", ["vitaminc", "vitamin", "c"]),
        ("U.S.A", ["usa", "u", "s", "a"]),
        ("AT&T", ["att", "at", "t"]),
        ("foo-foo", ["foofoo", "foo"]),
        ("ÜberGröße", ["übergrösse", "über", "grösse"]),
        ("हिन्दी", ["हिन्दी"]),
        ("a\u0301b", ["áb"]),
        ("MÉTÉOFrance", ["météofrance", "météo", "france"]),
        ("E\u0331x", ["e\u0331x"]),
    ],
)
def test_terms(word, expected):
    assert list(terms_of(word)) == expected


def test_accents_come_off_every_term():
    assert terms_of("caféÉlan", accents=True) == ("cafeelan", "cafe", "elan")
