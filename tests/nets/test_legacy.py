"""Weight files of the AlphaZero_Gomoku family: reference answers, byte-for-byte round trips, bad files."""

from __future__ import annotations

import io
import json
import pickle
import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from wuzi.core import Game, Rules, format_move
from wuzi.errors import RecordError
from wuzi.nets import legacy, legacy_pickle
from wuzi.nets.evaluator import policy_of
from wuzi.nets.file import NetFile
from wuzi.nets.planes import PlaneEncoder, records_of

FOLDER = Path(__file__).parent / "legacy"
FILES = ("best_policy_6_6_4.model", "best_policy_8_8_5.model")
CASES = json.loads((FOLDER / "reference.json").read_text("utf-8"))["cases"]


@pytest.mark.kernels
@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case['board']}-{case['name']}")
def test_reference_answers(case: dict[str, Any]) -> None:
    n = case["board"]
    net = legacy.read_legacy(FOLDER / case["model"])
    assert net.card.rules == Rules(size=n, win_length=case["n_in_row"])
    moves = [(n - 1 - move // n) * n + move % n for move in case["moves"]]
    game = Game.from_moves(net.card.rules, moves)
    features = PlaneEncoder(net.card.planes, game.rules).encode(records_of([game]))
    expected = np.array(case["policy"]).reshape(n, n)[::-1].reshape(-1)
    for evaluator in (net.numpy(), net.onnx()):
        logits, value = evaluator.evaluate(features)
        np.testing.assert_allclose(policy_of(logits)[0], expected, atol=2e-6)
        assert abs(float(value[0]) - case["value"]) < 1e-6


@pytest.mark.kernels
@pytest.mark.parametrize(
    ("name", "moves", "best"),
    [
        (FILES[1], "b2 c6 c2 d6 d2 f7 e2 g4", "f2"),
        (FILES[1], "g8 b2 g7 c2 g6 d3 g5 b6", "g4"),
        (FILES[0], "b2 c5 c2 d5 d2 e5", "e2"),
    ],
)
def test_nets_win_where_the_win_is(name: str, moves: str, best: str) -> None:
    """A row at the bottom or at the right is completed there, not in its mirror image."""
    net = legacy.read_legacy(FOLDER / name)
    game = Game.from_moves(net.card.rules, moves.split())
    logits, _ = net.onnx().evaluate(PlaneEncoder("az4-v1", game.rules).encode(records_of([game])))
    assert format_move(int(logits[0].argmax()), game.rules.size) == best


@pytest.mark.parametrize("name", FILES)
def test_saved_files_are_the_old_files(name: str, tmp_path: Path) -> None:
    net = legacy.read_legacy(FOLDER / name)
    legacy.save_legacy(tmp_path / name, net)
    assert (tmp_path / name).read_bytes() == (FOLDER / name).read_bytes()


def test_python_unpickles_what_is_saved(trained: NetFile, tmp_path: Path) -> None:
    """As the family's own scripts do under Python 3."""
    legacy.save_legacy(tmp_path / "x.model", trained)
    arrays = pickle.loads((tmp_path / "x.model").read_bytes(), encoding="bytes")
    assert [array.shape for array in arrays][:2] == [(32, 4, 3, 3), (32,)]
    np.testing.assert_array_equal(arrays[0], trained.weights["trunk.conv1.weight"][:, :, ::-1, ::-1])


@pytest.mark.parametrize("protocol", [2, 3])
def test_files_pickled_by_python_3(protocol: int) -> None:
    arrays = [np.arange(6, dtype=np.float32).reshape(2, 3), np.asfortranarray(np.ones((2, 2), np.float32))]
    found = legacy_pickle.parse_arrays(pickle.dumps(arrays, protocol=protocol), "x")
    for one, other in zip(arrays, found, strict=True):
        np.testing.assert_array_equal(one, other)


class Bomb:
    def __reduce__(self) -> Any:
        return print, ("boom",)


class Deep:
    def __reduce__(self) -> Any:
        return np.dtype, ("O",)


GOOD = (FOLDER / FILES[0]).read_bytes()
ARRAY = np.zeros(3, np.float32)
BAD = {
    "empty": (b"", "not a weight file"),
    "text": (b"hello world\n", "not a weight file"),
    "truncated": (GOOD[:-1000], "not a weight file"),
    "no end": (GOOD[:-1], "not a weight file"),
    "a call": (pickle.dumps([Bomb()], protocol=2), "it wants '__builtin__.print'"),
    "a call in an array's place": (b"\x80\x02cos\nsystem\nU\x02ls\x85R.", "it wants 'os.system'"),
    "object arrays": (pickle.dumps([np.array([None])], protocol=2), "not little-endian float32"),
    "doubles": (pickle.dumps([np.zeros(3)], protocol=2), "not little-endian float32"),
    "big endian": (pickle.dumps([ARRAY.astype(">f4")], protocol=2), "not little-endian float32"),
    "a lone type": (pickle.dumps([Deep()], protocol=2), "no list of arrays"),
    "a dictionary": (pickle.dumps({"a": 1}, protocol=2), "operation EMPTY_DICT"),
    "new protocol": (pickle.dumps([ARRAY], protocol=5), "protocol 5: expected 2 or 3"),
    "an empty array": (b"\x80\x02](cnumpy\nndarray\ncnumpy.core.multiarray\n_reconstruct\n)Re.", "."),
    "wrong number": (pickle.dumps([ARRAY], protocol=2), "1 arrays: expected 16"),
    "wrong shapes": (pickle.dumps([ARRAY] * 16, protocol=2), r"array 0 has shape \(3,\)"),
    "pytorch": (b"PK\x03\x04....", "a PyTorch file: `wuzi models import`"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_files(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    content, message = BAD[name]
    path = tmp_path / "bad.model"
    path.write_bytes(content)
    with pytest.raises(RecordError, match=message):
        legacy.read_legacy(path)
    assert capsys.readouterr().out == ""


def test_array_longer_than_its_bytes(tmp_path: Path) -> None:
    """The first shape says (4096, 4, 3, 3) where there are bytes for 32."""
    head = GOOD.index(b"\x8a\x01 \x8a\x01\x04")
    bad = GOOD[:head] + b"\x8a\x02\x00\x10" + GOOD[head + 3 :]
    with pytest.raises(RecordError, match=r"4608 bytes for an array of shape \(4096, 4, 3, 3\)"):
        legacy_pickle.parse_arrays(bad, "bad.model")


@given(st.data())
def test_damaged_files_are_errors_and_nothing_else(data: st.DataObject) -> None:
    at = data.draw(st.integers(0, 700))
    damage = data.draw(st.binary(min_size=1, max_size=8))
    content = GOOD[:at] + damage + GOOD[at + len(damage) :]
    try:
        arrays = legacy_pickle.parse_arrays(content, "x")
    except RecordError as error:
        assert "\n" not in str(error)
    else:
        assert all(array.dtype == np.float32 for array in arrays)


def test_numbers_that_are_not_finite(tmp_path: Path) -> None:
    arrays = legacy_pickle.parse_arrays(GOOD, "x")
    arrays[3] = arrays[3] * np.float32(np.nan)
    (tmp_path / "x.model").write_bytes(legacy_pickle.dump_arrays(arrays))
    with pytest.raises(RecordError, match="array 3 holds values that are not finite"):
        legacy.read_legacy(tmp_path / "x.model")


def test_other_boards_and_huge_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(RecordError, match="weights for 6x6: expected 8x8"):
        legacy.read_legacy(FOLDER / FILES[0], Rules(size=8))
    monkeypatch.setattr(legacy, "MAX_BYTES", 1000)
    with pytest.raises(RecordError, match="417720 bytes: expected at most 1000"):
        legacy.read_legacy(FOLDER / FILES[0])


def test_numbers_and_shapes_of_the_writer() -> None:
    for n in (0, 1, 127, 128, 255, 256, 2592, 65535):
        assert pickle.loads(b"\x80\x02" + legacy_pickle._long(n) + b".") == n
        assert (
            legacy_pickle._long(n) == b"\x8a" + bytes([len(pickle.encode_long(n))]) + pickle.encode_long(n)
            or n == 0
        )
    buffer = io.BytesIO(legacy_pickle.dump_arrays([np.zeros((70, 1), np.float32)]))
    (array,) = pickle.load(buffer, encoding="latin1")
    assert array.shape == (70, 1)
    assert struct.calcsize("<i") == 4


def test_only_basic_nets_fit(trained: NetFile, tmp_path: Path) -> None:
    weights = {name: value for name, value in trained.weights.items() if not name.startswith("val_fc2")}
    with pytest.raises(RecordError, match="only basic nets fit"):
        legacy.save_legacy(tmp_path / "x.model", NetFile(trained.card, weights))
