"""What every player must do. Call :func:`check_player` from a test with a function that makes the player."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable

from wuzi.contract import Capabilities, Limit, Player, PlayResult, SearchInfo, Stop
from wuzi.core import Action, Game, Opening, Phase, PlaceSeveral, Rule, Rules
from wuzi.errors import GameOverError, UnsupportedError

MakePlayer = Callable[[], Player]

RULES: tuple[Rules, ...] = (
    Rules(size=3, win_length=3),
    Rules(size=6, win_length=4),
    Rules(size=9),
    Rules(size=7, rule=Rule.STANDARD),
    Rules(size=9, rule=Rule.RENJU),
    Rules(size=7, rule=Rule.CARO),
    Rules(size=15),
    Rules(size=9, opening=Opening.SWAP1),
    Rules(size=9, opening=Opening.SWAP2),
)
"""A choice of rules and sizes; those a player does not support are skipped by :func:`supported`."""

QUICK = Limit(nodes=200, simulations=20, depth=1)


def supported(capabilities: Capabilities, rules: Iterable[Rules] = RULES) -> list[Rules]:
    """Those of the rules that the capabilities cover."""
    return [item for item in rules if capabilities.why_not(item) is None]


def check_player(
    make: MakePlayer, *, rules: Iterable[Rules] = RULES, limit: Limit = QUICK, slack_s: float = 2.0
) -> None:
    """All checks below; a move may take ``slack_s`` beyond its limit. An AssertionError says what broke."""
    with make() as player:
        known = supported(player.capabilities, rules)
    assert known, "the player supports none of the rules"
    for item in known:
        check_plays_to_the_end(make, item, limit)
    check_deterministic(make, known[0], limit)
    check_refuses(make, known[0], limit)
    check_stops(make, known[-1], slack_s)
    check_reports(make, known[0], limit)


def play_out(make: MakePlayer, rules: Rules, limit: Limit, max_actions: int = 1000) -> list[Action]:
    """The actions of a game of the player against itself."""
    game, actions = Game(rules), list[Action]()
    with make() as player:
        while game.outcome is None and len(actions) < max_actions:
            result = player.think(game, limit)
            _check_result(game, result)
            actions.append(result.action)
            game = game.act(result.action)
    return actions


def check_plays_to_the_end(make: MakePlayer, rules: Rules, limit: Limit = QUICK) -> None:
    """Every action is legal in its phase until the game is over; opening phases included."""
    actions = play_out(make, rules, limit)
    if rules.opening is not Opening.FREE:
        first = actions[0]
        assert isinstance(first, PlaceSeveral) and len(first.moves) == 3, f"opened with {first!r}"


def check_deterministic(make: MakePlayer, rules: Rules, limit: Limit = QUICK) -> None:
    """Equal players give equal answers, and an answer depends on the game alone, not on earlier questions."""
    with make() as player:
        if not player.capabilities.deterministic:
            return
    actions = play_out(make, rules, limit)
    assert play_out(make, rules, limit) == actions, "the same game was played differently the second time"
    games = [Game(rules)]
    for action in actions[:-1]:
        games.append(games[-1].act(action))
    with make() as player:
        for game, action in reversed(list(zip(games, actions, strict=True))):
            found = player.think(game, limit).action
            assert found == action, f"{found!r} instead of {action!r} when asked in another order: {game!r}"


def check_refuses(make: MakePlayer, rules: Rules, limit: Limit = QUICK) -> None:
    """A finished game and unsupported rules are errors of the right kind; closing twice is not."""
    with make() as player:
        over = Game(rules).resign(Game(rules).to_move)
        _expect(GameOverError, lambda: player.think(over, limit), "a finished game")
        for item in RULES:
            game = Game(item)
            if player.capabilities.why_not(item) is not None:
                _expect(UnsupportedError, lambda game=game: player.think(game, limit), item.label)  # type: ignore[misc]
        player.close()


def check_stops(make: MakePlayer, rules: Rules, slack_s: float = 2.0) -> None:
    """A set stop, a stop while thinking, and a time limit all give a legal answer soon."""
    game = _middle(rules)
    with make() as player:
        player.think(game, QUICK)
        stop = Stop()
        stop.set()
        _check_quick(player, game, Limit(), stop, slack_s)
        stop = Stop()
        timer = threading.Timer(0.1, stop.set)
        timer.start()
        _check_quick(player, game, Limit(time_s=3600, clock_s=3600), stop, slack_s + 0.1)
        timer.cancel()
        _check_quick(player, game, Limit(time_s=0.1), None, slack_s + 0.1)
        _check_quick(player, game, Limit(time_s=0.0), None, slack_s)


def check_reports(make: MakePlayer, rules: Rules, limit: Limit = QUICK) -> None:
    """Reports are about the side to move, best line first, values in range."""
    seen: list[SearchInfo] = []
    game = _middle(rules)
    with make() as player:
        result = player.think(game, limit, multipv=3, on_info=seen.append)
    for info in (*seen, result.info):
        assert info.color is game.to_move
        assert len(info.lines) <= 3
        for line in info.lines:
            assert game.position.legal_mask()[line.move], f"report of the illegal move {line.move}"
            assert line.value is None or -1 <= line.value <= 1
            assert line.winrate is None or 0 <= line.winrate <= 1
            assert not line.pv or line.pv[0] == line.move
    if result.info.lines:
        assert result.info.lines[0].move == result.move


def _middle(rules: Rules) -> Game:
    """A game in which an ordinary move is asked for."""
    size = rules.size
    return Game.from_moves(rules, [size * (size // 2) + size // 2, 0, size * size - 1])


def _check_quick(player: Player, game: Game, limit: Limit, stop: Stop | None, within_s: float) -> None:
    started = time.monotonic()
    _check_result(game, player.think(game, limit, stop=stop))
    spent = time.monotonic() - started
    assert spent < within_s, f"{player.name} took {spent:.2f} s for {limit.describe()}"


def _check_result(game: Game, result: PlayResult) -> None:
    after = game.act(result.action)
    assert len(after.actions) == len(game.actions) + 1
    if game.phase is Phase.PLAY:
        assert result.move == after.moves[-1]


def _expect(kind: type[Exception], call: Callable[[], object], what: str) -> None:
    try:
        call()
    except kind:
        return
    raise AssertionError(f"{what}: expected {kind.__name__}")
