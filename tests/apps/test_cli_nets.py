"""``wuzi evaluate`` and ``wuzi models``, on a small trained net."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from wuzi.apps.cli import main
from wuzi.apps.cli.nets.nets import read_any_net
from wuzi.apps.cli.tools import bench, bench_nets
from wuzi.core import Rule
from wuzi.evaluation.codebook import shipped_path
from wuzi.nets.backends.onnx_net import make_session
from wuzi.nets.file import NetFile
from wuzi.nets.legacy import save_legacy
from wuzi.torch_nets import create_net

pytestmark = pytest.mark.kernels

ROOT = Path(__file__).resolve().parents[2]
LEGACY = ROOT / "tests" / "nets" / "legacy"
FILE = LEGACY / "best_policy_6_6_4.model"
CASES = json.loads((LEGACY / "reference.json").read_text("utf-8"))["cases"]


@pytest.fixture(autouse=True)
def own_data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WUZI_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.setenv("WUZI_CONFIG_DIR", str(tmp_path / "config"))


def answer(capsys: pytest.CaptureFixture[str], *arguments: str) -> Any:
    assert main([*arguments, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def fails(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert main(list(arguments)) == 2
    error = capsys.readouterr().err
    assert error.startswith("wuzi: error: ") and error.count("\n") == 1
    return error


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case['board']}-{case['name']}")
def test_evaluate_gives_the_reference_answers(
    case: dict[str, Any], capsys: pytest.CaptureFixture[str]
) -> None:
    n = case["board"]
    moves = " ".join(f"{move % n},{n - 1 - move // n}" for move in case["moves"])
    found = answer(
        capsys, "evaluate", "--net", str(LEGACY / case["model"]), "--size", str(n), "--moves", moves,
        "--win-length", str(case["n_in_row"]),
    )  # fmt: skip
    turned = [row for i in range(n - 1, -1, -1) for row in case["policy"][i * n : (i + 1) * n]]
    assert found["policy"] == pytest.approx(turned, abs=2e-6)
    assert found["value"] == pytest.approx(case["value"], abs=1e-6)
    assert found["to_move"] == ("black" if len(case["moves"]) % 2 == 0 else "white")
    assert (found["backend"], found["note"]) == ("onnx", "")


@pytest.mark.parametrize("extra", [["--backend", "numpy"], ["--symmetric"], ["--backend", "onnx"]])
def test_evaluate_other_ways(extra: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    found = answer(capsys, "evaluate", "--net", str(FILE), "--moves", "c3 d4 c4", *extra)
    assert found["moves"] == ["c3", "d4", "c4"]
    assert found["rules"] == {"size": 6, "win_length": 4, "rule": "freestyle"}
    assert sum(found["policy"]) == pytest.approx(1, abs=1e-4) and len(found["policy"]) == 36


def test_evaluate_shows_legal_moves_alone(capsys: pytest.CaptureFixture[str]) -> None:
    order = "a1 b1 c1 d1 e1 f1 b2 a2 d2 c2 f2 e2".split()
    assert main(["evaluate", "--net", str(FILE), "--moves", " ".join(order)]) == 0
    shown = next(row for row in capsys.readouterr().out.splitlines() if row.startswith("policy "))
    assert not {word for word in shown.split()[1::2]} & set(order)


def test_a_codebook_net_is_evaluated_as_any_other(capsys: pytest.CaptureFixture[str]) -> None:
    found = answer(capsys, "evaluate", "--net", "codebook", "--size", "9", "--moves", "e5 e6", "--symmetric")
    assert (found["net"], found["backend"], len(found["policy"])) == ("codebook", "codebook", 81)
    assert sum(found["policy"]) == pytest.approx(1, abs=1e-4) and -1 <= found["value"] <= 1
    file = str(shipped_path(Rule.FREESTYLE, 5, 9))
    assert answer(capsys, "evaluate", "--net", file, "--size", "9", "--moves", "e5 e6")["net"] == file
    assert main(["evaluate", "--net", "codebook"]) == 0
    assert "codebook: codebook net\nfreestyle 15x15, ply 0, black to move" in capsys.readouterr().out
    assert main(["evaluate", "--net", "codebook", "--outputs", "attention", "--json"]) == 2


def test_evaluate_for_people(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["evaluate", "--net", str(FILE), "--moves", "c3"]) == 0
    shown = capsys.readouterr().out
    assert "freestyle 6x6, 4 in a row, ply 1, white to move" in shown
    assert "value -0." in shown and "policy " in shown and "%" in shown


def test_more_outputs_of_a_net(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from wuzi.core import Rules
    from wuzi.nets.file import save_net
    from wuzi.torch_nets import net_file

    module, spec = create_net("three-factor:blocks=1,channels=16", None, seed=3)
    save_net(tmp_path / "three", net_file(module, spec, Rules(size=7), "three"))
    found = answer(
        capsys, "evaluate", "--net", str(tmp_path / "three"), "--size", "9", "--outputs", "attention, alpha"
    )
    assert len(found["outputs"]["attention"][0]) == 9 and 0 < found["outputs"]["alpha"][0] < 1
    assert main(["evaluate", "--net", str(tmp_path / "three"), "--outputs", "attention,alpha"]) == 0
    lines = capsys.readouterr().out.splitlines()
    start = lines.index("attention")
    shares = [[float(share) for share in line.split()[1:]] for line in lines[start + 1 : start + 8]]
    assert sum(map(sum, shares)) == pytest.approx(1, abs=0.01) and len(shares[0]) == 7
    assert lines[start + 1].split()[0] == "7" and lines[start + 8].split() == [*"abcdefg"]
    assert 0 < float(lines[start + 9].removeprefix("alpha ")) < 1
    assert "no output 'beauty'" in fails(
        capsys, "evaluate", "--net", str(tmp_path / "three"), "--outputs", "beauty", "--json"
    )
    module, spec = create_net("2b16", None, seed=3)
    save_net(tmp_path / "ours", net_file(module, spec, Rules(size=7), "ours"))
    assert sum(answer(capsys, "evaluate", "--net", str(tmp_path / "ours"))["wdl"]) == pytest.approx(
        1, abs=1e-5
    )
    assert main(["evaluate", "--net", str(tmp_path / "ours")]) == 0
    assert "(win, draw, loss" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--net", "nothing"], "no net 'nothing': a file, or one of"),
        (["--net", str(FILE), "--size", "9"], "a 9x9 board: the net is for 6x6"),
        (["--net", str(FILE), "--moves", "c3 c3"], "c3 is occupied"),
        (["--net", str(FILE), "--moves", "z9"], "'z9' is no cell of a 6x6 board"),
        (["--net", str(FILE), "--moves", "a1 a6 b1 b6 c1 c6 d1"], "the game is over (black)"),
        (["--net", str(FILE), "--backend", "int8"], "its card has no ranges for 8 bits"),
        (["--net", str(LEGACY / "LICENSE")], "not a weight file of the AlphaZero_Gomoku family"),
    ],
)
def test_evaluate_says_what_is_wrong(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert message in fails(capsys, "evaluate", *arguments)


def test_import_list_show_verify_export(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    own = {item["name"] for item in answer(capsys, "models", "list")}
    assert main(["models", "import", str(FILE), "--name", "small"]) == 0
    assert "8 bits: accepted, policy KL" in capsys.readouterr().out
    listed = answer(capsys, "models", "list")
    assert {item["name"] for item in listed} == own | {"small"}
    (small,) = [item for item in listed if item["name"] == "small"]
    assert (small["parameters"], small["size"], small["int8"], small["shipped"]) == (104_267, 6, True, False)
    assert answer(capsys, "models", "show", "small")["recipe"]["source"].endswith(FILE.name)
    assert main(["models", "show", "small"]) == 0
    assert "104,267" in capsys.readouterr().out
    assert main(["models", "show", "9x9-b"]) == 0
    shown = capsys.readouterr().out
    assert "begun from the net 9x9, 10,000 games" in shown and "finds 190 of 200 wins" in shown
    assert "random 40, 0, 0; weight 28, 12, 0" in shown and "{" not in shown
    (verdict,) = answer(capsys, "models", "verify", "small")
    assert verdict["ok"] and verdict["int8"]
    assert answer(capsys, "evaluate", "--net", "small")["backend"] == "onnx", "raw: not rounded to 8 bits"
    assert answer(capsys, "evaluate", "--net", "small", "--backend", "auto")["backend"] == "int8"
    for form, suffix in (
        ("onnx", "onnx"),
        ("onnx-int8", "onnx"),
        ("legacy", "model"),
        ("safetensors", "safetensors"),
    ):
        assert main(["models", "export", "small", "--format", form, "--out", str(tmp_path / form)]) == 0
        assert (tmp_path / f"{form}.{suffix}").is_file()
    capsys.readouterr()
    assert (tmp_path / "legacy.model").read_bytes() == FILE.read_bytes()
    assert make_session((tmp_path / "onnx-int8.onnx").read_bytes()).get_inputs()[0].shape == [
        "batch",
        4,
        6,
        6,
    ]
    assert answer(capsys, "models", "verify", str(tmp_path / "safetensors"))[0]["ok"]


def test_import_says_what_is_wrong(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["models", "import", str(FILE), "--name", "small", "--rule", "standard"]) == 0
    assert "standard 6x6, 4 in a row" in capsys.readouterr().out
    assert "already: choose another name" in fails(capsys, "models", "import", str(FILE), "--name", "small")
    assert main(["models", "import", str(FILE), "--name", "small", "--replace"]) == 0
    capsys.readouterr()
    assert "net name '../x'" in fails(capsys, "models", "import", str(FILE), "--name", "../x")
    assert "no such file" in fails(capsys, "models", "import", str(tmp_path / "no"), "--name", "x")
    assert "renju needs five" in fails(
        capsys, "models", "import", str(FILE), "--name", "x", "--rule", "renju"
    )
    assert "there is no folder" in fails(
        capsys, "models", "export", "small", "--out", str(tmp_path / "no" / "x.onnx")
    )
    assert "on 9x9: its weights fit 6x6" in fails(
        capsys, "models", "export", "small", "--size", "9", "--out", str(tmp_path / "x.onnx")
    )


def test_only_nets_of_ones_own_are_removed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["models", "import", str(FILE), "--name", "small"]) == 0
    capsys.readouterr()
    assert "net 's0-basic': came with wuzi and stays; expected one of yours: small" in fails(
        capsys, "models", "remove", "s0-basic"
    )
    assert "net '../small': expected one of yours: small" in fails(capsys, "models", "remove", "../small")
    assert main(["models", "remove", "small"]) == 0
    assert "small was removed" in capsys.readouterr().out
    assert list((tmp_path / "data" / "nets").iterdir()) == []
    assert "there are none" in fails(capsys, "models", "remove", "small")


def test_import_of_a_pytorch_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    module, _ = create_net("res5x32:blocks=1", 9, seed=1)
    torch.save(module.state_dict(), tmp_path / "best_model.pth")
    assert main(["models", "import", str(tmp_path / "best_model.pth"), "--name", "four"]) == 0
    assert "res5x32(blocks=1, channels=32)" in capsys.readouterr().out
    assert len(answer(capsys, "evaluate", "--net", "four")["policy"]) == 81


@pytest.mark.slow
def test_verify_finds_a_damaged_net(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["models", "import", str(FILE), "--name", "small"]) == 0
    weights = tmp_path / "data" / "nets" / "small.safetensors"
    weights.write_bytes(weights.read_bytes()[:-4] + b"abcd")
    capsys.readouterr()
    assert main(["models", "verify"]) == 1
    assert "BAD small: small.safetensors: sha256 is" in capsys.readouterr().out
    (tmp_path / "data" / "nets" / "small.json").write_text("{}")
    assert main(["models", "list"]) == 0
    out = capsys.readouterr().out
    assert "not the card of a net" in out and f"your own nets go to {tmp_path / 'data' / 'nets'}:" in out
    listed = [item for item in answer(capsys, "models", "list") if item["name"] == "small"]
    assert "not the card of a net" in listed[0]["error"]


def test_architectures_are_counted(capsys: pytest.CaptureFixture[str]) -> None:
    rows = {row["name"]: row for row in answer(capsys, "models", "architectures")}
    assert (rows["enhanced"]["parameters"], rows["enhanced"]["claimed"]) == (1_825_506, 200_000)
    assert main(["models", "architectures", "--size", "15"]) == 0
    assert "2,038,770 parameters on 15x15; its document says about 200,000" in capsys.readouterr().out


def test_bench_explains_every_figure_of_selfplay(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("ROUNDS", "TURNS", "STEPS"):
        monkeypatch.setattr(bench_nets, name, 1)
    net = bench_nets.basic_net()
    figures = bench_nets.selfplay_figures(net, workers=False)
    by_processes = {f"selfplay_games_per_h_{n}" for n in ("1_worker", "2_workers")}
    explained = {name for name in bench.HELP if name.startswith("selfplay_")}
    assert set(figures) | by_processes == explained
    assert {"kernel_compile_s", "kernel_load_s"} <= set(bench.HELP)
    assert all(value > 0 for value in figures.values())


def test_bench_explains_every_figure_of_nets(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bench_nets, "WINDOWS", 1)
    monkeypatch.setattr(bench_nets, "WINDOW_S", 0.001)
    monkeypatch.setattr(bench_nets, "TORCH_NETS", (("res5x32", "res5x32:blocks=1", 15),))
    figures = bench_nets.net_figures()
    assert set(figures) <= set(bench.HELP)
    forms = ("onnx_b1", "onnx", "int8", "torch")
    assert {f"net_evals_per_s_{net}_{form}" for net in ("basic", "res5x32") for form in forms} <= set(figures)
    assert all(value > 0 for value in figures.values())


WITHOUT_TORCH = """
import sys
sys.modules["torch"] = None
from wuzi.apps.cli import main
raise SystemExit(main(sys.argv[1:]))
"""


@pytest.mark.slow
def test_without_torch_nets_answer_and_torch_files_say_what_to_install(tmp_path: Path) -> None:
    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-c", WITHOUT_TORCH, *arguments]
        return subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT / "src")

    assert run("evaluate", "--net", str(FILE)).returncode == 0
    (tmp_path / "x.pth").write_bytes(b"PK\x03\x04")
    for arguments in (["evaluate", "--net", str(tmp_path / "x.pth")], ["models", "architectures"]):
        done = run(*arguments)
        assert done.returncode == 1
        assert done.stderr == 'wuzi: error: torch is not installed: pip install "wuzi[train]"\n'


@pytest.mark.parametrize("protocol", [2, 3])
@pytest.mark.parametrize("suffix", [".model", ".pth", ".bin"])
def test_a_file_is_what_its_content_says(tmp_path: Path, suffix: str, protocol: int) -> None:
    """PyTorch before 1.6 wrote pickles, which have the family's suffix in some of its forks."""
    module, _ = create_net("basic", 6, seed=2)
    old = tmp_path / f"old{suffix}"
    torch.save(module.state_dict(), old, _use_new_zipfile_serialization=False, pickle_protocol=protocol)
    net = read_any_net(str(old))
    assert (net.card.size, net.card.architecture) == (6, "basic")
    family = tmp_path / f"family{suffix}"
    save_legacy(family, net)
    assert read_any_net(str(family)).card.weights_sha256 == net.card.weights_sha256


@pytest.mark.parametrize("largest", [1e18, 3e38])
def test_a_net_whose_answers_are_not_finite_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, largest: float, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("WUZI_DATA_DIR", str(tmp_path / "data"))
    module, _ = create_net("basic", 6, seed=2)
    with torch.no_grad():
        for weight in module.parameters():
            weight.copy_(weight.sign() * largest)
    torch.save(module.state_dict(), tmp_path / "x.pth")
    family = read_any_net(str(FILE))
    wild = {name: np.full_like(value, largest) for name, value in family.weights.items()}
    save_legacy(tmp_path / "x.model", NetFile(family.card, wild))
    for name in ("x.pth", "x.model"):
        assert main(["models", "import", str(tmp_path / name), "--name", "wild"]) == 2
        error = capsys.readouterr().err
        assert "net x: its answers are not finite: the weights are damaged or too large" in error
        assert len(error.splitlines()) == 1
