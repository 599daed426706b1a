"""What a request for an arena means, within the limits of the server."""

from __future__ import annotations

from wuzi.apps.web.problems import ProblemError
from wuzi.apps.web.schemas_arena import BudgetIn, NewArena
from wuzi.apps.web.settings import Settings
from wuzi.arena.openings import default_openings
from wuzi.arena.schedule import Entry, TournamentConfig
from wuzi.arena.sprt import SprtConfig
from wuzi.contract import Limit
from wuzi.players.spec import parse_spec
from wuzi.protocols.analysis.wire import parse_rules


def num_games(config: TournamentConfig) -> int:
    """Games planned."""
    return config.games * len(config.pairings())


def config_of(body: NewArena, settings: Settings) -> TournamentConfig:
    """The tournament that a request means; ProblemError over a limit of the server."""
    if len(body.players) > settings.max_arena_players:
        raise _over("players", len(body.players), settings.max_arena_players)
    for one in body.players:
        _check_size(one.spec, settings)
    rules = parse_rules(body.rules.model_dump(by_alias=True))
    openings = default_openings(rules) if body.openings == "book" else body.openings
    config = TournamentConfig(
        entries=tuple(
            Entry(one.spec, one.label, None if one.limit is None else _limit(one.limit, settings))
            for one in body.players
        ),
        rules=rules,
        games=body.games,
        format=body.format,
        openings=openings,
        seed=body.seed,
        limit=_limit(body.limit, settings),
        sprt=None if body.sprt is None else SprtConfig(body.sprt.elo0, body.sprt.elo1),
    )
    if (total := num_games(config)) > settings.max_arena_games:
        raise _over("games", total, settings.max_arena_games)
    return config


def _check_size(spec: str, settings: Settings) -> None:
    """What a spec may take of the machine; whether its values are right at all is the player's business."""
    most = {
        "simulations": settings.max_visits,
        "max_simulations": settings.max_visits,
        "max_nodes": settings.max_visits,
        "trace": settings.max_visits,
        "table_mb": settings.max_table_mb,
        "threads": settings.workers,
    }
    for key, value in parse_spec(spec).options.items():
        try:
            number = float(value)
        except ValueError:
            continue
        if number > most.get(key, number):
            detail = f"{spec}: {key}={value}: this server allows {most[key]}"
            raise ProblemError(422, "limit_exceeded", detail)


def _limit(budget: BudgetIn | None, settings: Settings) -> Limit:
    if budget is None:
        return Limit()
    if budget.time_s is not None and budget.time_s > settings.max_move_s:
        raise _over("seconds a move", budget.time_s, settings.max_move_s)
    if budget.visits is not None and budget.visits > settings.max_visits:
        raise _over("simulations", budget.visits, settings.max_visits)
    return Limit(
        time_s=budget.time_s,
        clock_s=budget.clock_s,
        increment_s=budget.increment_s,
        nodes=budget.nodes,
        depth=budget.depth,
        simulations=budget.visits,
    )


def _over(what: str, value: float, most: float) -> ProblemError:
    return ProblemError(422, "limit_exceeded", f"{value:g} {what}: this server allows {most:g}")
