"""Telling the charset of a text that is not UTF-8 and names none.

Each charset reads the text in its own way; the reading that looks most like a language counts. A character
of East Asian charsets is worth more where the language uses it often, or where the charset keeps its common
characters; a letter of Western and Cyrillic charsets where words are written so. On names of a few letters
this can fail: :func:`wuzi.records.loads` takes the charset from those who know it.
"""

from __future__ import annotations

import re

from wuzi.records.formats.charsets import CHARSETS, decode_as

_SAMPLE = 6000
"""Bytes of the text that are looked at."""

FREQUENT: dict[str, str] = {
    "gb18030": (
        "的一是不了人我在有他这中大来上国个到说们为子和你地出道也时年得就那要下以生会自着去之过家学对可她里后小么"
        "心多天而能好都然没日于起还发成事只作当想看文无开手十用主行方又如前所本见经头面公同三已老从动两长知民样现分将"
        "外但身些与高意进把法此实回二理美点月明其种声全工己话儿者向情部正名定女问力机给等几很业最间新什打便位因重被走"
        "黑白棋五珠局胜负先着活冲四禁双连步赛第网络对弈杯王李张刘陈杨赵黄周吴徐孙胡朱林郭马华伟强军平东建国红志永春"
        "题选择变化必应该交换指定开局瑞星花月浦疏流水云雨溪寒残金松丘岚峡恒岩斜明湖胜败攻守防眠跳输赢招答案练习答"
    ),
    "big5": (
        "的一是不了人我在有他這中大來上國個到說們為子和你地出道也時年得就那要下以生會自著去之過家學對可她里後小麼"
        "心多天而能好都然沒日於起還發成事只作當想看文無開手十用主行方又如前所本見經頭面公同三已老從動兩長知民樣現分將"
        "外但身些與高意進把法此實回二理美點月明其種聲全工己話兒者向情部正名定女問力機給等幾很業最間新什打便位因重被走"
        "黑白棋五珠局勝負先著活衝四禁雙連步賽第網路對弈盃王李張劉陳楊趙黃周吳徐孫胡朱林郭馬華偉強軍平東建國紅志永春"
        "題選擇變化必應該交換指定開局瑞星花月浦疏流水雲雨溪寒殘金松丘嵐峽恆岩斜明湖勝敗攻守防眠跳輸贏招答案練習許功蓋"
    ),
    "shift_jis": (
        "日一国人年大十二本中長出三時行見月分後前生五間上東四今金九入学高円子外八六下来気小七山話女北午百書先名川千"
        "水半男西電校語土木聞食車何南万毎白天母火右読友左休父雨黒手連珠棋局勝負戦初段名人戦田村井藤佐木林山中川野原口"
        "石橋本清水渡辺鈴高伊加斎吉松太郎一二三之美和正明博文夫雄彦新打定石珠型定勝着禁追詰四三活剣達"
    ),
    "euc-kr": (
        "이다는을의에가고하지한도로은기를서사자어나리시인아대그있라해수게스들정부것일여장만전보제주상성지원과구동조신오선"
        "생내세경김박최강윤임한국민우미연영현진호준재유안조용비바둑오목흑백승패수렌주룰대국초반공격방어좋은마라니까음"
        "면요네와했었습무모소관공방중물문실행화말때저알개없더된안각식당학계단속발월년회위양"
    ),
}
_FREQUENT = {name: frozenset(text) for name, text in FREQUENT.items()}
LETTERS: dict[str, str] = {
    "windows-1252": "éèàüöäøçñåáíóúêæôßãâîëïûõœìòù",
    "windows-1250": "áéíóúýčšžřěůťďňľąćęłńśźżőűöüäôß",
    "windows-1251": "оеаинтсрвлкмдпуяыьгзбчйхжшюцщэфъё",
    "koi8-r": "оеаинтсрвлкмдпуяыьгзбчйхжшюцщэфъё",
}
"""The small letters that languages of a charset use, the frequent ones first."""
_TYPED = frozenset("«»„“”‘’–—…•·°§№\u00a0\u00ad€¿¡´")
_WORD = re.compile(r"[^\W\d_]+")


def guess(data: bytes) -> str:
    """The charset that reads a text best; windows-1252, the usual charset of SGF, where none does."""
    sample = _sample(data)
    valid = len(re.findall(rb"[\xc3-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}", sample))
    if valid > 2 and sample.decode("utf-8", "replace").count("\ufffd") * 4 <= valid:
        return "utf-8"
    scores = {
        name: _score_wide(sample, name) for name in ("gb18030", "big5", "shift_jis", "euc-jp", "euc-kr")
    }
    scores |= {name: _score_letters(sample, name) for name in LETTERS}
    best = max(scores, key=lambda name: scores[name])
    return best if scores[best] > 0 else "windows-1252"


def _sample(data: bytes) -> bytes:
    """The lines that are not plain ASCII, as many as are looked at."""
    lines = [line for line in data.splitlines(keepends=True) if not line.isascii()]
    return b"".join(lines)[:_SAMPLE]


def _score_wide(sample: bytes, name: str) -> float:
    """How well an East Asian charset reads a text: the mean over its characters that are not ASCII."""
    kinds = [_value(char, name) for char in decode_as(sample, name) if not char.isascii()]
    return sum(kinds) / len(kinds)


def _value(char: str, name: str) -> float:
    """How usual a character is in texts of that charset."""
    code = ord(char)
    if char == "\ufffd":
        return -6
    if 0x3000 <= code <= 0x3020 or 0xFF01 <= code <= 0xFF5E or char in "“”‘’…—·":
        return 0.5
    if char in _FREQUENT.get(name, ""):
        return 3
    kana = 0x3041 <= code <= 0x30FE
    if name in ("shift_jis", "euc-jp"):
        frequent = kana or char in _FREQUENT["shift_jis"]
        return 2 if frequent else 1 if _is_common(char, "euc_jp", 0xB0, 0xCF) else -1.5
    if kana:
        return -2
    if name == "euc-kr":
        return 1 if 0xAC00 <= code <= 0xD7A3 and _is_common(char, "euc_kr", 0xB0, 0xC8) else -1
    first, last = (0xB0, 0xD7) if name == "gb18030" else (0xA4, 0xC6)
    codec = "gb2312" if name == "gb18030" else "big5"
    return 1 if _is_common(char, codec, first, last) else -1


def _is_common(char: str, codec: str, first: int, last: int) -> bool:
    """Whether a charset keeps a character in its part of common ones."""
    try:
        return first <= char.encode(codec)[0] <= last
    except UnicodeEncodeError:
        return False


def _score_letters(sample: bytes, name: str) -> float:
    """How well a charset of single bytes reads a text."""
    text = sample.decode(CHARSETS[name][0], "replace")
    total, count = 0.0, 0
    inside = [False] * (len(text) + 1)
    for word in _WORD.finditer(text):
        inside[word.start() : word.end()] = [True] * (word.end() - word.start())
        other = sum(not char.isascii() for char in word[0])
        if other:
            count += other
            total += _score_word(word[0], name)
    for at, char in enumerate(text):
        if not char.isascii() and not inside[at]:
            count += 1
            beside = at and inside[at - 1] and inside[at + 1]
            total += 0.3 if char in _TYPED and not beside else -2
    return total / count


def _score_word(word: str, name: str) -> float:
    """How usual the letters of a word are that are not ASCII, all together."""
    foreign = [char for char in word if not char.isascii()]
    rest = word[1:]
    if not (rest.islower() or word.isupper() or len(word) == 1):
        return -2.0 * len(foreign)
    cyrillic = name not in ("windows-1250", "windows-1252")
    if (cyrillic and len(foreign) < len(word)) or (not cyrillic and len(foreign) * 2 > max(len(word), 3)):
        return -2.0 * len(foreign)
    letters = LETTERS[name]
    ranks = [letters.find(char.lower()) for char in foreign]
    return sum(-1 if rank < 0 else 2 - rank / len(letters) for rank in ranks)
