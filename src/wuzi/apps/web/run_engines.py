"""The nets of training runs as opponents, by ids of the server's own making: ``run/NAME/NET``."""

from __future__ import annotations

from pathlib import Path

from wuzi.apps.web.schemas import MAX_ENGINE, LocalText
from wuzi.contract import Limit
from wuzi.errors import ConfigError
from wuzi.nets.shelf import WEIGHTS_SUFFIX
from wuzi.players.opponents import ENGINES, EngineEntry, EngineLevel, find_engine
from wuzi.players.spec import PlayerSpec, format_spec
from wuzi.training.run.reader import run_folder

PREFIX = "run/"


def engine_id(run: Path, net: str) -> str | None:
    """The id of a net in the folder of a run; None where a player spec cannot name its file."""
    found = f"{PREFIX}{run.name}/{net}"
    try:
        _spec("az", run, net)
    except ConfigError:
        return None
    return found if len(found) <= MAX_ENGINE else None


def any_engine(engine: str | None, runs: Path | None) -> EngineEntry:
    """The opponent of an id: one of the server's list, or a net of a run.

    Args:
        engine: the id.
        runs: the folder of the server's runs, if it has one.

    Raises:
        ConfigError: there is none.
    """
    if engine is None or not engine.startswith(PREFIX):
        return find_engine(engine)
    name, _, net = engine.removeprefix(PREFIX).partition("/")
    run = None if runs is None else run_folder(runs, name)
    if run is None or not _has_net(run, net) or engine_id(run, net) is None:
        raise ConfigError(f"engine {engine[:MAX_ENGINE]!r}: there is no such net of a run (any more)")
    return _entry(engine, run, net)


def engine_name(engine: str) -> LocalText:
    """What to call the opponent of an id, also one that is there no more."""
    if entry := ENGINES.get(engine):
        return LocalText(en=entry.en, zh=entry.zh)
    if engine.startswith(PREFIX):
        name, _, net = engine.removeprefix(PREFIX).partition("/")
        return LocalText(en=f"{net} ({name})", zh=f"{net}（{name}）")
    return LocalText(en=engine, zh=engine)


def _has_net(run: Path, net: str) -> bool:
    """Whether the run has that net. The name is looked up, never followed; nor are links that lead out."""
    nets = run / "nets"
    names = [path.name for path in nets.glob(f"*{WEIGHTS_SUFFIX}")]
    file = f"{net}{WEIGHTS_SUFFIX}"
    return file in names and (nets / file).resolve().parent == run.resolve() / "nets"


def _entry(engine: str, run: Path, net: str) -> EngineEntry:
    name, az, called = run.name, _spec("az", run, net), engine_name(engine)
    return EngineEntry(
        engine,
        called.en,
        called.zh,
        f"A net of the training run {name}, with a tree search.",
        f"训练 {name} 的网络，配合树搜索。",
        (
            EngineLevel("normal", "Normal: 400 simulations", "普通：400 次模拟", f"{az},simulations=400"),
            EngineLevel("quick", "Quick: 64 simulations", "快棋：64 次模拟", f"{az},simulations=64"),
            EngineLevel("strong", "Strong: 5 seconds", "较强：每步 5 秒", az, Limit(time_s=5)),
            EngineLevel("policy", "Without any search", "不搜索", _spec("policy", run, net)),
        ),
    )


def _spec(player: str, run: Path, net: str) -> str:
    path = (run / "nets" / net).resolve()
    return format_spec(PlayerSpec(player, {"net": f"{path}{WEIGHTS_SUFFIX}"}))
