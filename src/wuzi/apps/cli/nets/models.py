"""``wuzi models``: list, verify, measure, import and export nets."""

from __future__ import annotations

from dataclasses import asdict
from dataclasses import replace as changed
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

import wuzi
from wuzi.apps.cli.nets import exam
from wuzi.apps.cli.nets.card import measured_rows
from wuzi.apps.cli.nets.nets import output_path, read_any_net
from wuzi.apps.cli.options import Commands, Json, Rule, attributes, output, print_json, rules_of
from wuzi.apps.cli.progress import warm_up
from wuzi.base.imports import need
from wuzi.errors import ConfigError, RecordError, WuziError

if TYPE_CHECKING:
    from wuzi.nets.shelf import NetEntry

app = Commands("List, show, test, measure, import and export nets.", bare=False)

CALIBRATION_POSITIONS = 2048

NetName = Annotated[str, typer.Argument(help="Name or file of a net.")]


@app.add("list")
def list_models(as_json: Json = False) -> None:
    """List the nets that came with wuzi and your own."""
    from wuzi.nets.shelf import user_nets_dir

    found = [(entry, _card(entry)) for entry in wuzi.nets.list_nets()]
    lines = []
    for entry, card in found:
        if isinstance(card, str):
            lines.append(f"{entry.name:24} {card}")
            continue
        board = card.rules.label if card.size else f"every size (made for {card.rules.label})"
        origin = "shipped" if entry.shipped else "yours"
        rating = entry.rating
        elo = "" if rating is None else f"{rating.elo:.0f} ({rating.low:.0f} to {rating.high:.0f})"
        net = f"{entry.name:24} {card.architecture:14} {card.parameters:>10,}"
        lines.append(f"{net}  {elo:20}  {board}  {origin}")
    yours = f"your own nets go to {user_nets_dir()}: wuzi models import FILE --name NAME"
    output(as_json, [_describe(entry, card) for entry, card in found], [*(lines or ["no nets yet"]), yours])


@app.add()
def show(net: NetName, as_json: Json = False) -> None:
    """Show a net's card: its architecture, its origin, its inputs and its measured strength."""
    card = read_any_net(net).card
    data = card.to_json()
    if as_json:
        print_json({key: value for key, value in data.items() if key not in ("graph", "checks")})
        return
    origin = {} if card.measured else card.recipe
    rows = [
        ("net", card.name),
        ("architecture", card.label),
        ("parameters", f"{card.parameters:,}"),
        ("made for", card.rules.label),
        ("board", f"{card.size}x{card.size}" if card.size else "every size"),
        ("planes", f"{card.planes}: {', '.join(wuzi.nets.plane_set(card.planes).names)}"),
        ("outputs", ", ".join(card.graph.outputs)),
        ("8 bits", _verdict(card)),
        ("sha256", card.weights_sha256 or "none: not one of our files"),
        *((key, str(value)) for key, value in origin.items()),
        *measured_rows(card.measured),
    ]
    for key, value in rows:
        print(f"{key + ':':17} {value}")


def _verdict(card: wuzi.nets.NetCard) -> str:
    if (found := card.quantization) is None:
        return "not measured"
    return f"{'accepted' if found.accepted else 'not accepted'}, {found.verdict}"


app.add("test")(exam.test)


@app.add()
def verify(
    nets: Annotated[list[str] | None, typer.Argument()] = None, complete: bool = False, as_json: Json = False
) -> None:
    """Check that nets are intact and that every backend gives the recorded answers.

    Exit code 1 if any net fails.

    Options:
        nets: Names or files of nets; default: all installed nets.
        complete: Also fail nets whose card has no measurements.
    """
    names = nets or [entry.name for entry in wuzi.nets.list_nets()]
    results = [_verify(name, complete) for name in names]
    lines = (f"{'ok  ' if result['ok'] else 'BAD '}{result['net']}: {result['text']}" for result in results)
    output(as_json, results, lines)
    if not all(result["ok"] for result in results):
        raise typer.Exit(1)


def _verify(name: str, complete: bool) -> dict[str, Any]:
    from wuzi.nets.card import MEASURED, answers_to
    from wuzi.nets.file import check_answers, why_not_int8

    try:
        net = read_any_net(name)
        if complete and (lacking := [key for key in MEASURED if key not in net.card.measured]):
            raise RecordError(f"its card lacks {', '.join(lacking)}: see wuzi models measure")
        if not net.card.checks:
            return {"net": name, "ok": True, "text": "no policy: only hash and card were checked"}
        reason = net.card.graph.why_torch
        evaluators: list[wuzi.nets.Evaluator] = [net.exact()] if reason else [net.numpy(), net.onnx()]
        check_answers(net, evaluators[-1])
        worst = max(answers_to(net.card.checks, evaluator)[0] for evaluator in evaluators)
        reason = f"only torch can compute it ({reason})" if reason else why_not_int8(net)
    except (WuziError, OSError) as error:
        return {"net": name, "ok": False, "text": str(error)}
    checks = f"{len(net.card.checks)} positions, at most {worst:.1e} off"
    return {"net": name, "ok": True, "text": f"{checks}; 8 bits: {reason or 'good'}", "int8": not reason}


@app.add()
def measure(
    net: NetName,
    run_dir: Path | None = None,
    player: str = "az:net={net},simulations=100",
    games: Annotated[int, typer.Option("--games", "-n", min=2)] = 20,
    seed: int = 1,
    concurrency: Annotated[int, typer.Option("--concurrency", "-j", min=1)] = 1,
    out: Path | None = None,
    as_json: Json = False,
) -> None:
    """Measure a net and record the results in its card: rating, tactics, colours, calibration, weaknesses.

    Its 8-bit form is measured again on 2,048 positions from games played by its policy, and is used if it is
    accurate enough. The weights are not changed.

    Options:
        run_dir: Folder of the training run that made the net; needed the first time.
        player: Spec string of the player that uses the net; {net} is replaced by its name.
        games: Number of games against each reference player.
        seed: Random seed of the openings and the players.
        concurrency: Number of games at once.
        out: New folder to keep the games in.
    """
    from wuzi.base.atomic import write_atomic
    from wuzi.nets.card import dump_card
    from wuzi.nets.shelf import net_paths
    from wuzi.training.evaluation.cards import completed, training_facts
    from wuzi.training.evaluation.cards import measure as measure_net

    entry = wuzi.nets.find_net(net)
    found = wuzi.nets.load_net(entry.path)
    training = None if run_dir is None else training_facts(run_dir)
    if training is None and "training" not in found.card.measured:
        raise ConfigError(f"net {net}: nothing says how it was trained: expected --run-dir")
    if out is not None and out.exists():
        raise ConfigError(f"--out {out}: it exists already: expected a new folder")
    warm_up()
    _, card = net_paths(entry.path)
    found = found.calibrated(CALIBRATION_POSITIONS)
    write_atomic(card, dump_card(found.card))
    facts = measure_net(found, net, player=player, games=games, seed=seed, concurrency=concurrency, out=out)
    full = completed(found, facts, training)
    write_atomic(card, dump_card(full.card))
    measured = dict(full.card.measured)
    text = "rating {value:+.0f} ({low:+.0f} … {high:+.0f}), {games} games".format(**measured["rating"])
    output(as_json, measured, [text, *(f"! {weakness}" for weakness in measured["weaknesses"])])


@app.add("import")
def import_model(
    file: Annotated[Path, typer.Argument()],
    name: str,
    win_length: int | None = None,
    rule: Rule = "freestyle",
    replace: bool = False,
) -> None:
    """Install a net from a weight file; no code in the file is run.

    --win-length and --rule say what the net was trained for, where the file does not. The net then plays
    some games by its policy, on which its 8-bit form is measured.

    Options:
        file: File of wuzi, of AlphaZero_Gomoku, or a PyTorch .pth file.
        name: Name to give the net.
        win_length: Number of stones in a row that wins.
        replace: Replace an installed net of the same name.
    """
    from wuzi.nets.shelf import check_name, net_paths, user_nets_dir

    folder = user_nets_dir()
    target, _ = net_paths(folder / f"{check_name(name)}.json")
    if target.exists() and not replace:
        raise ConfigError(f"there is a net {name!r} already: choose another name, or say --replace")
    if not file.is_file():
        raise ConfigError(f"{file}: there is no such file")
    net = read_any_net(str(file))
    if win_length is not None or rule != "freestyle":
        rules = rules_of(net.card.rules.size, win_length or net.card.rules.win_length, rule)
        net = changed(net, card=changed(net.card, rules=rules)).with_checks()
    if net.card.quantization is None and net.card.checks:
        net = net.calibrated(CALIBRATION_POSITIONS)
    folder.mkdir(parents=True, exist_ok=True)
    saved = wuzi.nets.save_net(target, changed(net, card=changed(net.card, name=name)))
    print(f"{name}: {saved.card.label}, {saved.card.parameters:,} parameters, {saved.card.rules.label}")
    if saved.card.quantization is not None:
        print(f"8 bits: {_verdict(saved.card)}")


@app.add()
def remove(net: Annotated[str, typer.Argument(help="Name of one of your own nets.")]) -> None:
    """Remove one of your own nets: its weights and its card."""
    from wuzi.nets.shelf import remove_net

    removed = remove_net(net)
    print(f"{net} was removed from {removed.parent}")


@app.add()
def export(
    net: NetName,
    out: str,
    form: Annotated[
        Literal["safetensors", "onnx", "onnx-int8", "legacy", "pth"], typer.Option("--format")
    ] = "onnx",
    size: int | None = None,
) -> None:
    """Write a net as another kind of file: ONNX (float32 or 8 bits), AlphaZero_Gomoku, PyTorch or wuzi.

    Options:
        out: File to write.
        form: Format of the file; onnx-int8 needs a measured net, legacy a basic one, pth (the weight file of
            documents 001, 003 and 004) a basic or res5x32 one and torch.
        size: Board size of an ONNX file; default: the size the net was made for.
    """
    from wuzi.base.atomic import write_atomic
    from wuzi.nets.file import why_not_int8

    found = read_any_net(net)
    if form == "legacy":
        path = output_path(out, ".model")
        wuzi.nets.save_legacy(path, found)
    elif form == "pth":
        need("train", "torch")
        path = output_path(out, ".pth")
        wuzi.torch_nets.export_pth(path, found)
    elif form == "safetensors":
        path = output_path(out, ".safetensors")
        wuzi.nets.save_net(path, found)
    else:
        path = output_path(out, ".onnx")
        int8 = form == "onnx-int8"
        if int8 and (reason := why_not_int8(found)):
            raise ConfigError(f"net {found.card.name} in 8 bits: {reason}")
        write_atomic(path, found.onnx_bytes(size or found.card.rules.size, int8=int8))
    print(f"wrote {path}")


@app.add()
def architectures(size: int = 9, as_json: Json = False) -> None:
    """List the net architectures with their parameter counts, and those the documents claim (needs torch).

    Options:
        size: Board size for which parameters are counted.
    """
    need("train", "torch")
    rows = []
    for item in wuzi.torch_nets.list_architectures():
        module, spec = wuzi.torch_nets.create_net(item.name, size)
        rows.append(
            {
                **attributes(item, "name", "summary", "source"),
                "planes": module.planes,
                "options": dict(spec.options),
                "parameters": module.num_parameters(),
                "claimed": item.claimed,
            }
        )
    lines = []
    for row in rows:
        claim = "" if row["claimed"] is None else f"; its document says about {row['claimed']:,}"
        lines.append(f"{row['name']:13} {row['parameters']:>10,} parameters on {size}x{size}{claim}")
        lines.append(f"{'':13} {row['summary']} ({row['source']}); {row['planes']}")
    output(as_json, rows, lines)


def _card(entry: NetEntry) -> wuzi.nets.NetCard | str:
    """The card of a net, or what is wrong with it."""
    from wuzi.nets.card import card_of

    try:
        return card_of(entry)
    except (RecordError, OSError) as error:
        return str(error)


def _describe(entry: NetEntry, card: wuzi.nets.NetCard | str) -> dict[str, Any]:
    base = {"name": entry.name, "path": str(entry.path), "shipped": entry.shipped}
    if isinstance(card, str):
        return {**base, "error": card}
    return {
        **base,
        **attributes(card, "architecture", "parameters", "size", "planes"),
        "rules": card.rules.to_json(),
        "rating": None if entry.rating is None else asdict(entry.rating),
        "int8": bool(card.quantization and card.quantization.accepted),
        "weights_sha256": card.weights_sha256,
    }
