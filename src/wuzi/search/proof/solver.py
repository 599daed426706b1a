"""Proof-number search for a proof that Black wins: positions with Black to move, and Black's options there.

A position's number to prove is the least of its options', an option's the sum of its open replies': both say
how much work is left. The search goes on where the least work would settle the root (Allis, "Searching for
solutions in games and artificial intelligence", 1994). What is peculiar to this game is in ``docs/proof.md``:
one attack after a pass answers all replies that do not disturb it, and an attack found against one reply is
tried on the next before any search.
"""

from __future__ import annotations

from collections import Counter, OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, replace

from wuzi.core.layout import BLACK, WHITE
from wuzi.search.proof.attacks import AttackFinder, Tree
from wuzi.search.proof.boards import Stones, bits, shifted
from wuzi.search.proof.guide import Guide
from wuzi.search.proof.store import ProofStore

NEVER = 1 << 30
_SHOWN = 40
_UNKNOWN, _GLANCED = 10, 4
"""Work that a position seems to need after a failed threat search, and after a short one that was cut off."""
_MUCH = 500
"""Work from which on an option is left only for one with a fifth less."""
_PATIENCE = 150
"""Work beyond a sibling's that an option may show before the rest of its replies has to wait."""
_REPLIES_A_UNIT = 8
"""So many replies not looked at count as one unit of work: most fall to an attack found before."""
_MANY = 100
"""Replies from which on one is searched to its end."""
_LEAVE_GUIDE = 50_000
"""Work from which on another move than the guide's is looked at."""
Candidates = Callable[[Stones, int], list[tuple[int, float]]]
"""Black's moves in a position, best first, with their values in [-1, 1]; the number is how wide to look."""


@dataclass(frozen=True, slots=True)
class Effort:
    """How much is spent where: positions of threat searches, and numbers that order the search.

    A reply gets ``first`` when it is met, ``reply`` when it is the one to work on, and ``reply_again`` before
    Black's candidates are asked for.
    """

    first: int = 800
    reply: int = 4_000
    reply_again: int = 60_000
    passed: int = 20_000
    danger: int = 1_500
    quiet_stones: int = 2
    """With so many black stones on the board Black may play a move that threatens nothing."""
    most_open: int = 40
    """An option is given up when so many replies to it stand."""
    kept_trees: int = 400
    kept_in_all: int = 200_000
    """Attacks kept for each set of black stones, and for all sets."""
    widest: int = 3
    """How often a position may ask for more candidates."""

    def times(self, factor: int) -> Effort:
        """So many times the positions."""
        names = ("first", "reply", "reply_again", "passed", "danger")
        more = {name: factor * getattr(self, name) for name in names}
        return replace(self, **more, most_open=self.most_open + 10 * factor)


def _depth_cost(black: int) -> int:
    """What to add to a number to prove with these black stones, so that no line is followed for ever."""
    return 2 * max(0, black.bit_count() - 6)


class OrNode:
    """A position, Black to move."""

    __slots__ = ("attack", "current", "disprove", "glanced", "options", "parents", "prove", "stones", "width")

    def __init__(self, stones: Stones) -> None:
        self.stones, self.width = stones, 0
        self.prove, self.disprove = _UNKNOWN + _depth_cost(stones[0]), 1
        self.glanced = False
        """Whether only the short search was made, and ended at its limit."""
        self.attack: Tree | None = None
        self.options: list[AndNode] = []
        self.current: AndNode | None = None
        self.parents: list[AndNode] = []

    def next_option(self) -> AndNode | None:
        """The option that promises least work; where that is much, the last one until it is clearly worse."""
        best = min(self.options, key=lambda option: option.prove, default=None)
        spare = best.prove // 4 if best is not None and best.prove > _MUCH else 0
        if self.current is None or best is None or self.current.prove > best.prove + spare:
            self.current = best
        return self.current


class AndNode:
    """A move of Black in a place; its replies are known once it has been looked at."""

    __slots__ = ("current", "disprove", "move", "passed", "pending", "place", "prove", "replies", "seen")

    def __init__(self, place: OrNode, move: int, prove: int) -> None:
        self.place, self.move, self.prove, self.disprove = place, move, prove, 1
        self.passed: Tree | None = None
        self.replies: list[tuple[int, OrNode, int]] = []
        """White's cell, the place it leads to, and the symmetry that makes it canonical."""
        self.pending: list[int] = []
        """White's cells that have not been looked at yet."""
        self.current: OrNode | None = None
        self.seen = False

    def next_place(self) -> OrNode:
        """The open reply to search: the one with the fewest options left, and of those the hardest.

        Where there are very many, one is searched until it is proved: else none would be for a long time.
        """
        if self.current is None or not self.current.prove or len(self.replies) < _MANY:
            left = [place for _, place, _ in self.replies if place.prove] or [self.replies[0][1]]
            self.current = min(left, key=lambda place: (place.disprove, -place.prove))
        return self.current


class Prover:
    """Searches for proofs, and writes every proved position into a store."""

    def __init__(
        self, store: ProofStore, candidates: Candidates, effort: Effort = Effort(), guide: Guide | None = None
    ) -> None:
        """With a ``guide`` its moves come first, even where they threaten nothing."""
        self.store, self.boards, self.effort = store, store.boards, effort
        self._candidates, self._guide = candidates, guide or {}
        self._finder = AttackFinder(store.boards)
        self._places: dict[Stones, OrNode] = {}
        self._trees: OrderedDict[int, list[Tree]] = OrderedDict()
        self._kept = 0
        self._good: dict[int, Counter[int]] = {}
        self._refuted: dict[int, Counter[int]] = {}
        """White's replies that no attack was found against, by Black's stones before the move."""
        self.counts: Counter[str] = Counter()

    def prove(self, stones: Stones, stop: Callable[[], bool]) -> OrNode:
        """Search until the canonical position is proved, given up, or ``stop`` says so."""
        root = self.place(stones)
        if root.prove and root.attack is None and not root.width:
            self._try_attack(root, self.effort.reply)
        while 0 < root.prove < NEVER and not stop():
            self._step(root)
        if root.attack is not None:
            self.store.add(stones, root.attack.text)
        return root

    def forget(self) -> None:
        """Drop what is known of positions that are not proved."""
        self._places.clear()
        self._refuted.clear()

    def guided(self, stones: Stones) -> int | None:
        """Black's move by the guide, in a position as it stands on the board; None where it has none."""
        canonical, symmetry = self.boards.canonical(*stones)
        found = self._guide.get(canonical)
        return (
            None if found is None else self.boards.cell(self.boards.back(self.boards.names[found], symmetry))
        )

    def prefer(self, stones: Stones, move: int) -> None:
        """Let the guide play a move in a position as it stands on the board, and begin anew."""
        canonical, symmetry = self.boards.canonical(*stones)
        self._guide[canonical] = self.boards.images(move)[symmetry]
        self.forget()

    def __len__(self) -> int:
        return len(self._places)

    def hardest(self, root: OrNode) -> list[str]:
        """The moves to the place that is looked at next."""
        moves, place = list[str](), root
        while place.options and 0 < place.prove < NEVER and len(moves) < _SHOWN:
            option = place.next_option()
            if option is None:
                break
            moves.append(self.boards.names[option.move])
            if not option.seen or not option.replies:
                break
            place = option.next_place()
            cell = next(cell for cell, reply, _ in option.replies if reply is place)
            moves.append(self.boards.names[cell])
        return moves

    def _step(self, place: OrNode) -> None:
        """Look at one more option or position, where the least work seems to be left."""
        while True:
            option = place.next_option()
            if option is None or option.prove >= self._cost_to_widen(place):
                self._widen(place)
                break
            if not option.seen or option.pending:
                self._look_at(option)
                place = option.place
                break
            place = option.next_place()
        self._update(place)

    def _cost_to_widen(self, place: OrNode) -> int:
        if place.width > self.effort.widest:
            return NEVER
        return (
            _LEAVE_GUIDE
            if place.width > 1 and place.stones in self._guide
            else (0, 16, 120, 600)[place.width]
        )

    def _follows(self, option: AndNode) -> bool:
        return self._guide.get(option.place.stones) == option.move

    def place(self, stones: Stones) -> OrNode:
        """What is known of a canonical position."""
        found = self._places.get(stones)
        if found is None:
            found = OrNode(stones)
            if stones in self.store:
                found.prove, found.disprove = 0, NEVER
            else:
                self._places[stones] = found
        return found

    def _try_attack(self, place: OrNode, most: int) -> bool:
        """Whether an attack found before, or a new one, wins the place."""
        black, white = place.stones
        trees = self._trees.get(black, [])
        attack = None
        for number, tree in enumerate(trees):
            more, gone = white & ~tree.white, tree.white & ~white
            # Where exactly five win, a stone that is gone may have made a row of White's too long.
            fits = not more & tree.zone and more.bit_count() <= 1
            if fits and not (gone and self.boards.rules.rule.exact):
                attack = tree
                trees.insert(0, trees.pop(number))
                self.counts["reused"] += 1
                break
        else:
            self._finder.set_up(black, white, BLACK)
            attack = self._finder.attack(most)
            self.counts["searched"] += 1
            if attack is not None:
                self._trees[black] = trees
                trees.insert(0, attack)
                self._kept += 1 - len(trees[self.effort.kept_trees :])
                del trees[self.effort.kept_trees :]
                self.counts["attacks"] += 1
        if attack is not None:
            self._trees.move_to_end(black)
            self._settle(place, attack)
        while self._kept > self.effort.kept_in_all:
            self._kept -= len(self._trees.popitem(last=False)[1])
        return attack is not None

    def _settle(self, place: OrNode, attack: Tree | None) -> None:
        place.attack, place.prove, place.disprove, place.options = attack, 0, NEVER, []
        self._places.pop(place.stones, None)

    def _widen(self, place: OrNode) -> None:
        """Find options of a place: moves that won in similar ones, then the candidates, then more of them."""
        black, white = place.stones
        if place.glanced:
            place.glanced = False
            if not self._try_attack(place, self.effort.reply):
                place.prove = _UNKNOWN + _depth_cost(black)
            return
        place.width += 1
        self._finder.set_up(black, white, BLACK)
        known = {option.move for option in place.options}
        if place.width == 1:
            blocks = self._finder.fives(WHITE)
            if len(blocks) == 1:
                place.options, place.width = [AndNode(place, blocks[0], 4)], self.effort.widest + 1
                return
            if blocks:
                place.width = self.effort.widest + 1
                return
            if self._try_attack(place, self.effort.reply_again):
                return
            good = self._good.get(black, Counter()).most_common(3)
            found = [(move, 4 + 2 * rank) for rank, (move, _) in enumerate(good)]
            if not found:
                place.width += 1
        else:
            found = []
        if place.width > 1:
            moves = self._ask(place)
            for rank, (move, value) in enumerate(moves):
                found.append((move, 8 + 2 * rank + int(40 * max(0.0, 0.6 - value))))
        taken = black | white
        for move, prove in found:
            if move not in known and not taken >> move & 1:
                known.add(move)
                place.options.append(AndNode(place, move, prove + _depth_cost(black)))

    def _ask(self, place: OrNode) -> list[tuple[int, float]]:
        """The guide's move first where it has one, later the candidates, from narrow to wide."""
        width = place.width - 2
        if place.stones in self._guide:
            if width == 0:
                return [(self._guide[place.stones], 1.0)]
            width -= 1
        self.counts["asked"] += 1
        return self._candidates(place.stones, width)

    def _look_at(self, option: AndNode) -> None:
        """Find the replies that Black has to answer after an option, and try attacks against the next."""
        if not option.seen:
            self.counts["options"] += 1
            option.seen = True
            replies = self._open_replies(option)
            if replies is None:
                return self._give_up(option)
            option.pending = replies
        place = option.place
        black, white = place.stones[0] | 1 << option.move, place.stones[1]
        others = [other.prove for other in place.options if other is not option]
        enough = 5 * min([*others, self._cost_to_widen(place)]) // 4 + _PATIENCE
        left = sum(reply.prove for _, reply, _ in option.replies)
        open_count = sum(reply.prove > 0 for _, reply, _ in option.replies)
        refuted = self._refuted.setdefault(place.stones[0], Counter())
        option.pending.sort(key=lambda cell: refuted[cell])
        while option.pending and left <= enough:
            cell = option.pending.pop()
            stones, symmetry = self.boards.canonical(black, white | 1 << cell)
            reply = self.place(stones)
            if reply.prove and not reply.width and not self._try_attack(reply, self.effort.first):
                refuted[cell] += 1
                reply.glanced = self._finder.was_cut
                reply.prove = (_GLANCED if reply.glanced else _UNKNOWN) + _depth_cost(reply.stones[0])
            option.replies.append((cell, reply, symmetry))
            if option not in reply.parents[-1:]:
                reply.parents.append(option)
            left += reply.prove
            open_count += reply.prove > 0
            if open_count > self.effort.most_open and option.passed is not None and not self._follows(option):
                return self._give_up(option)
        self._sum_up(option)

    def _open_replies(self, option: AndNode) -> list[int] | None:
        """White's cells that Black has to answer after an option, the nearest last; None if it is no good."""
        place, effort, finder = option.place, self.effort, self._finder
        black, white = place.stones[0] | 1 << option.move, place.stones[1]
        finder.set_up(black, white, WHITE)
        empty = self.boards.all & ~(black | white)
        if finder.fives(WHITE) or not empty:
            return None
        if fours := finder.fives(BLACK):
            return fours if len(fours) == 1 else []
        if finder.wins(WHITE, effort.danger):
            return None
        finder.set_up(black, white, WHITE)
        option.passed = finder.attack(effort.passed)
        is_early = place.stones[0].bit_count() < effort.quiet_stones
        if option.passed is None and not is_early and not self._follows(option):
            return None
        cells = list(bits(empty if option.passed is None else option.passed.zone & empty))
        size = self.boards.rules.size
        row, col = divmod(option.move, size)
        cells.sort(key=lambda c: -max(abs(c // size - row), abs(c % size - col)))
        return cells

    def _give_up(self, option: AndNode) -> None:
        option.prove, option.disprove = NEVER, 0
        option.replies, option.pending, option.passed = [], [], None

    def _sum_up(self, option: AndNode) -> None:
        if option.prove >= NEVER:
            return  # given up: mirror images of a reply may ask twice
        left = [place for _, place, _ in option.replies if place.prove]
        waiting = 1 + len(option.pending) // _REPLIES_A_UNIT if option.pending else 0
        option.prove = min(NEVER, sum(place.prove for place in left) + waiting)
        option.disprove = min([*(place.disprove for place in left), *([1] if waiting else [])], default=NEVER)
        if option.prove >= NEVER:
            self._give_up(option)

    def _update(self, place: OrNode) -> None:
        """Carry new numbers from a place up to the roots."""
        todo = [place]
        while todo:
            place = todo.pop()
            before = place.prove, place.disprove
            if place.prove and place.attack is None:
                best = min(place.options, key=lambda option: option.prove, default=None)
                if place.width:
                    place.prove = min(NEVER if best is None else best.prove, self._cost_to_widen(place))
                place.disprove = min(NEVER, sum(option.disprove for option in place.options))
                if place.width <= self.effort.widest:
                    place.disprove += 1
                if best is not None and best.prove == 0:
                    self._write(best)
            elif place.prove == 0:
                before = 1, 1
            if (place.prove, place.disprove) != before:
                place.parents = [o for o in place.parents if o.place.prove and 0 < o.prove < NEVER]
                for option in place.parents:
                    self._sum_up(option)
                    todo.append(option.place)

    def _write(self, option: AndNode) -> None:
        """Keep the node of a place that an option proves."""
        place, boards = option.place, self.boards
        parts = [boards.names[option.move]]
        nodes, at = 1, dict[tuple[int, int], int]()
        answers = []
        if option.passed is not None:
            answers.append("-" + shifted(option.passed.text, nodes))
            nodes += option.passed.nodes
        for cell, reply, symmetry in option.replies:
            answers.append(boards.names[cell])
            if reply.attack is None:
                answers.append("*")
            elif (same := (id(reply.attack), symmetry)) in at:
                answers.append(f"@{at[same]}")
            else:
                at[same] = nodes
                answers.append(shifted(boards.back(reply.attack.text, symmetry), nodes))
                nodes += reply.attack.nodes
        if answers:
            parts += ["(", *answers, ")"]
        self.store.add(place.stones, "".join(parts))
        self.counts["proved"] += 1
        self._good.setdefault(place.stones[0], Counter())[option.move] += 1
        self._settle(place, None)
        option.replies = []
