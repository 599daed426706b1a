"""Results of a review on disk, kept one by one."""

from __future__ import annotations

from pathlib import Path

from wuzi.analysis.review.model import Review, ReviewOptions, review_from_json, saved_result
from wuzi.analysis.review.results import Result, result_json
from wuzi.base.atomic import write_atomic
from wuzi.base.store import JsonLines
from wuzi.core.game import Game
from wuzi.errors import RecordError
from wuzi.protocols.analysis.wire import encode


class ReviewJournal:
    """Results on disk, one JSON object a line behind one of the game and the options.

    A killed review goes on where it was.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lines = JsonLines(path, compact=True)

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
                self._lines.repair()
                return kept
        self.path.parent.mkdir(parents=True, exist_ok=True)
        write_atomic(self.path, (encode(review.header()) + "\n").encode())
        return review

    def read(self, game: Game) -> Review | None:
        """What the file holds of this game; None if it is of another one, RecordError if it is no journal."""
        lines = [data for _, data in self._lines.objects()]
        if not lines:
            raise RecordError(f"{self.path}: expected the results of a review, a JSON object a line")
        try:
            review = review_from_json(lines[0], game)
        except RecordError as error:
            if "another game" in str(error):
                return None
            raise RecordError(f"{self.path}: {error}") from None
        for entry in lines[1:]:
            for key, data in entry.items():
                review.results[key] = saved_result(key, data, review)
        return review

    def add(self, key: str, result: Result) -> None:
        """Append a result."""
        self._lines.add({key: result_json(result)})
