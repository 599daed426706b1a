"""A small Gomocup engine whose misbehaviour is chosen by its first argument."""

from __future__ import annotations

import sys
import time

Cell = tuple[int, ...]


def say(text: str) -> None:
    print(text, flush=True)


class FakeEngine:
    def __init__(self, mode: str) -> None:
        self.mode = mode
        self.size = 0
        self.board: set[Cell] = set()
        self.block: list[Cell] | None = None
        self.opening = False

    def run(self) -> None:
        if self.mode == "deaf":
            time.sleep(600)
        if self.mode == "dead":
            sys.exit(3)
        for raw in sys.stdin:
            word, _, rest = raw.strip().partition(" ")
            if word == "END":
                return
            if self.block is not None and word != "DONE":
                self.block.append(cell(word))
            elif handler := getattr(self, f"do_{word.lower()}", None):
                handler(rest)

    def do_start(self, rest: str) -> None:
        self.size = int(rest)
        self.board.clear()
        refuse = self.mode == "small" and self.size > 10
        say("ERROR unsupported size" if refuse else "OK - everything is fine")

    def do_about(self, rest: str) -> None:
        if self.mode != "shy":
            say('name="Fake", version="1.0"')

    def do_begin(self, rest: str) -> None:
        self.move()

    def do_turn(self, rest: str) -> None:
        self.board.add(cell(rest))
        self.move()

    def do_board(self, rest: str) -> None:
        self.block, self.opening = [], False

    def do_swap2board(self, rest: str) -> None:
        self.block, self.opening = [], True

    def do_done(self, rest: str) -> None:
        stones, self.block = self.block or [], None
        if not self.opening:
            self.board = {stone[:2] for stone in stones}
            self.move()
        elif self.mode == "no_swap2":
            say("UNKNOWN SWAP2BOARD")
        else:
            choice = "5,5 6,6" if self.mode == "adds_two" else "SWAP"
            say({0: "7,7 8,8 9,7", 3: choice, 5: "4,4"}[len(stones)])

    def move(self) -> None:
        trouble = getattr(self, f"when_{self.mode}", None)
        if trouble is not None and trouble():
            return
        free = next((x, y) for y in range(self.size) for x in range(self.size) if (x, y) not in self.board)
        self.board.add(free)
        say("{}{},{}".format("SUGGEST " if self.mode == "suggests" else "", *free))

    def do_play(self, rest: str) -> None:
        say(rest)

    def when_crash(self) -> bool:
        sys.exit("segmentation fault")

    def when_hang(self) -> bool:
        time.sleep(600)
        return True

    def when_slow(self) -> bool:
        time.sleep(0.08)
        return False

    def when_babble(self) -> bool:
        for number in range(20):
            say(f"lorem ipsum {number}")
        return self.when_hang()

    def when_occupied(self) -> bool:
        say("{},{}".format(*next(iter(self.board))))
        return True

    def when_offboard(self) -> bool:
        say(f"{self.size},{self.size}")
        return True

    def when_waits_for_stop(self) -> bool:
        while sys.stdin.readline().strip() != "YXSTOP":
            pass
        return False

    def when_chatty(self) -> bool:
        say("MESSAGE Speed 822K | Depth 17-31 | Eval -12 | Node 379K | winrate 25%")
        say("DEBUG 3,3 looks nice")
        say("what is this")
        return False


def cell(text: str) -> Cell:
    return tuple(int(part) for part in text.split(","))


if __name__ == "__main__":
    FakeEngine(sys.argv[1]).run()
