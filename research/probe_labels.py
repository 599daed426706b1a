"""How well do the labels of distillation agree with the results of the games?

    wuzi gen-data --size 9 --games 300 --out DIR && python -m research.probe_labels DIR

reads a folder of ``wuzi gen-data`` and compares document 000's soft label, and the teacher's value where the
games have one, with the result. All values are those of the side to move, from -1 to 1.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np

from wuzi.nets.evaluator import Floats
from wuzi.training.methods.distill.rows import document_soft_label, load_rows


def described(name: str, values: Floats, results: Floats) -> str:
    """A value's correlation with the results and its mean squared error; arrays [positions]."""
    correlation, error = np.corrcoef(values, results)[0, 1], np.mean((values - results) ** 2)
    return f"{name:21} correlation {correlation:+.2f}, squared error {error:.3f}"


def main() -> None:
    """Print the figures of a folder."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    rows, _, model = load_rows([parser.parse_args().folder], planes="az4-v1")
    results = rows.results
    drawn = sum(bool(np.all(results[rows.games == game] == 0)) for game in np.unique(rows.games))
    print(f"{len(np.unique(rows.games))} games, {drawn} of them drawn, {len(rows):,} positions")
    label = document_soft_label(rows.features)
    print(f"document 000's label: above 0 in {np.mean(label > 0):.1%}, below 0 in {np.mean(label < 0):.1%};"
          f" mean {label[results > 0].mean():.3f} for the side that won,"
          f" {label[results < 0].mean():.3f} for the side that lost")  # fmt: skip
    print(f"always a draw         squared error {np.mean(results**2):.3f}")
    print(described("document 000's label", label, results))
    print(
        described(
            "own less opponent counts", np.tanh(0.1 * rows.features @ np.repeat([1.0, -1.0], 3)), results
        )
    )
    if model is not None:
        print(described("the teacher's value", rows.wdl[:, 0] - rows.wdl[:, 2], results))
        print(f"k {model.scale:.0f}, d {model.draw:.0f} points")


if __name__ == "__main__":
    main()
