"""Playing a study: every stage on every board is a tournament's folder; see :mod:`research.campaign`.

::

    DIR/nets.json               the nets that played, by hash
    DIR/own/                    the stage "own": tournament.json, games.jsonl, batch_results_*.csv
    DIR/sizes-6/                the stage "sizes" on 6x6
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from research.campaign import CampaignRun, begin, deadline_after
from research.config import Part, StudyConfig, StudyStage, tournament_of
from wuzi.arena import GameResult, TournamentConfig, all_pairs, continue_tournament, load_games
from wuzi.arena.journal import GAMES_FILE, SETTINGS_FILE, load_settings
from wuzi.arena.schedule import book_of, schedule
from wuzi.arena.tournament import OnProgress, is_over
from wuzi.base.store import read_object, write_object
from wuzi.errors import ConfigError
from wuzi.nets import find_net, list_nets
from wuzi.nets.card import card_of
from wuzi.players import create_player
from wuzi.workers.crew import Executor

CONFIG_FILE, NETS_FILE = "study.toml", "nets.json"


def run_study(
    config: StudyConfig,
    out: Path,
    *,
    stages: Sequence[str] = (),
    max_time_s: float | None = None,
    allow_missing: bool = False,
    concurrency: int = 1,
    observe: Callable[[Part, TournamentConfig], OnProgress] | None = None,
    executor: Executor | None = None,
) -> dict[str, str]:
    """Play the games that are not in the folder yet; the missing nets, each with the command that trains it.

    Killed at any moment, the folder holds every finished game, and the next call plays the others. ``stages``
    are names, all when empty; no game begins after ``max_time_s`` seconds. With ``allow_missing`` methods are
    left out whose net is not there. ``concurrency`` is games at once, 0 for as many as a cluster has
    processors (with equal time each needs one). ``observe`` gives a tournament's observer before it starts.

    Raises:
        ConfigError: a missing net, or one that is not the one that played before; wrong names; or a folder
            of another study.
        RecordError: the folder holds a broken record.
    """
    chosen = config.chosen(stages)
    missing = missing_nets(config, chosen)
    if missing and not allow_missing:
        name, command = next(iter(missing.items()))
        raise ConfigError(
            f"net {name!r} is missing (of {len(missing)}): make it with `{command}`, "
            "or leave its method out with --allow-missing"
        )
    run = CampaignRun.now(command=shown_path(config.path))
    begin(out, config.path, CONFIG_FILE, run, lambda: _settle_nets(config, out))
    deadline = deadline_after(max_time_s)
    for part in (part for stage in chosen for part in config.parts(stage)):
        _play(config, part, out, deadline, (concurrency, executor), observe)
        if is_over(deadline):
            break
    return missing


def missing_nets(config: StudyConfig, stages: Sequence[StudyStage] | None = None) -> dict[str, str]:
    """The nets of these stages that are not at hand, each with the command that trains it."""
    names = dict.fromkeys(name for stage in stages or config.stages for name in stage.methods)
    at_hand = {entry.name for entry in list_nets()}
    methods = [config.methods[name] for name in names]
    return {m.net: m.train for m in methods if m.net and m.net not in at_hand}


def present(config: StudyConfig, part: Part) -> tuple[str, ...]:
    """The part's methods that are at hand and play on its board."""
    missing = missing_nets(config)
    found = []
    for name in part.stage.methods:
        method = config.methods[name]
        if method.net in missing:
            continue
        with create_player(method.entry(part.stage.time).spec, allow_command=True) as player:
            if player.capabilities.why_not(part.rules) is None:
                found.append(name)
    return tuple(found)


def shown_path(path: Path) -> str:
    """A settings file as a page names it: relative if it was named so, else its name alone."""
    return path.name if path.is_absolute() else path.as_posix()


def load_part(part: Part, out: Path) -> list[GameResult]:
    """All games of a part so far."""
    return load_games(out / part.folder / GAMES_FILE)


def contested_pairs(
    tournament: TournamentConfig, stage: StudyStage, records: Sequence[GameResult]
) -> set[frozenset[str]]:
    """The pairs that the stage's first games did not decide, all pairs considered, as sets of two names.

    Only the first games count, so that a run that is continued finds the same pairs again.
    """
    games = schedule(tournament, book_of(tournament))
    first = {game.id for game in games if game.index < stage.games}
    played = [record for record in records if record.game_id in first]
    labels = [entry.label for entry in tournament.entries]
    pairs = all_pairs(played, labels, unit=stage.unit, looks=stage.looks)
    return {frozenset((pair.first, pair.second)) for pair in pairs if not pair.significant}


def _play(
    config: StudyConfig,
    part: Part,
    out: Path,
    deadline: float | None,
    where: tuple[int, Executor | None],
    observe: Callable[[Part, TournamentConfig], OnProgress] | None,
) -> None:
    stage, folder = part.stage, out / part.folder
    names = _in_order(present(config, part), folder)
    if len(names) < 2:
        return
    tournament = tournament_of(config, part, names)

    def play(most: Callable[[str, str], int], goal: int) -> Sequence[GameResult]:
        shown = observe(part, replace(tournament, games=goal)) if observe else None
        at_once, executor = where
        return continue_tournament(
            *(tournament, folder),
            deadline=deadline,
            most=most,
            concurrency=at_once,
            executor=executor,
            on_progress=shown,
        ).records

    records = play(lambda a, b: stage.capped(stage.games, a, b), stage.games)
    if stage.most <= stage.games or is_over(deadline):
        return
    contested = contested_pairs(tournament, stage, records)
    if contested:
        play(lambda a, b: stage.capped(stage.most if {a, b} in contested else stage.games, a, b), stage.most)


def _in_order(names: Sequence[str], folder: Path) -> tuple[str, ...]:
    """The methods that the folder knows first and as they were: new ones may only follow."""
    if not (folder / SETTINGS_FILE).exists():
        return tuple(names)
    known = [entry["label"] for entry in load_settings(folder)["settings"]["entries"]]
    for name in known:
        if name not in names:
            raise ConfigError(f"{folder}: {name} has played there, but it or its net is not there now")
    return (*known, *(name for name in names if name not in known))


def net_hashes(config: StudyConfig) -> dict[str, str]:
    """The hash of every net of the study that is at hand."""
    found = {}
    missing = missing_nets(config)
    for name in config.nets():
        if name not in missing:
            found[name] = card_of(find_net(name, allow_path=False)).weights_sha256
    return found


def exact_hash(net: str) -> str:
    """The hash of a net's weights before they were rounded to half precision, else their hash."""
    card = card_of(find_net(net, allow_path=False))
    return str(card.recipe.get("float32_sha256", card.weights_sha256))


def known_nets(out: Path) -> dict[str, str]:
    """The nets that played in a study's folder, by hash."""
    path = out / NETS_FILE
    return {name: str(value) for name, value in read_object(path).items()} if path.exists() else {}


def _settle_nets(config: StudyConfig, out: Path) -> None:
    """Note the nets at hand, and refuse those that are not what played before."""
    old, new, played = known_nets(out), net_hashes(config), _nets_with_games(config, out)
    for name in sorted(old.keys() & new.keys() & played):
        if old[name] not in (new[name], exact_hash(name)):
            raise ConfigError(
                f"{out}: net {name!r} ({new[name][:12]}) is not the one that played there "
                f"({old[name][:12]}): choose another --out"
            )
    # What played keeps its hash, even where its net has since been rounded.
    known = {name: value for name, value in old.items() if name in played}
    write_object(out / NETS_FILE, {**old, **new, **known}, indent=1)


def _nets_with_games(config: StudyConfig, out: Path) -> set[str]:
    parts = (part for stage in config.stages for part in config.parts(stage))
    names = {name for part in parts for game in load_part(part, out) for name in (game.black, game.white)}
    return {config.methods[name].net for name in names if name in config.methods}
