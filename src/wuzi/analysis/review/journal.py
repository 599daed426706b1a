"""Results of a review on disk, kept one by one."""

from __future__ import annotations

import json
from pathlib import Path

from wuzi.analysis.review.model import Review, ReviewOptions, check_result, review_from_json
from wuzi.base.atomic import write_atomic
from wuzi.core.game import Game
from wuzi.errors import RecordError
from wuzi.protocols.analysis.wire import encode


class Journal:
    """Results on disk, one JSON object a line, so that a killed review goes on where it was.

    Args:
        path: the file; the first line tells the game and the options.
    """

    def __init__(self, path: Path) -> None:
        self.path = path

    def open(self, game: Game, options: ReviewOptions) -> Review:
        """The review that the file holds if it is of this game with these options, else a new one.

        A last line that was cut short by a crash is dropped.

        Raises:
            RecordError: the file is no journal of a review.
            ConfigError: the game has no moves.
        """
        review = Review.of(game, options)
        if self.path.is_file():
            kept = self.read(game)
            if kept is not None and kept.options == options:
                return kept
        self.path.parent.mkdir(parents=True, exist_ok=True)
        write_atomic(self.path, (encode(review.header()) + "\n").encode())
        return review

    def read(self, game: Game) -> Review | None:
        """What the file holds of this game; None if it is of another one."""
        lines = self.path.read_bytes().split(b"\n")
        whole, rest = lines[:-1], lines[-1]
        try:
            head = json.loads(whole[0]) if whole else None
            entries = [json.loads(line) for line in whole[1:]]
        except ValueError:
            raise RecordError(
                f"{self.path}: expected the results of a review, a JSON object a line"
            ) from None
        try:
            review = review_from_json(head, game)
        except RecordError as error:
            if "another game" in str(error):
                return None
            raise RecordError(f"{self.path}: {error}") from None
        for entry in entries:
            for key, result in entry.items():
                check_result(key, result, review)
                review.results[key] = result
        if rest:
            write_atomic(self.path, b"".join(line + b"\n" for line in whole))
        return review

    def add(self, key: str, result: object) -> None:
        """Append a result."""
        with self.path.open("ab") as file:
            file.write((encode({key: result}) + "\n").encode())
            file.flush()
