"""docs/results/hardening.md in both languages, and its chart, from the lines in the folder."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from research.hardening import fuzz, games
from research.hardening.ledger import Ledger
from wuzi.base.atomic import replacing, write_atomic

PAGES = Path(__file__).resolve().parents[2] / "docs" / "results"
FOLDER = "hardening"
GOALS = {"games": 10_000, "kills": 1000, "fuzz": 1200, "clients": 50, "server": 300}
WORDS = {
    "en": {
        "none": "No run of at least 3,000 games is in the folder yet.",
        "memory": "At the end the referee's memory was {referee} of that, the players' {players}.",
        "nothing": "Nothing went wrong in these games.",
        "axes": ("games of a run", "memory, MB"),
        "lines": ("referee", "players"),
    },
    "zh": {
        "none": "还没有至少 3,000 局的运行。",
        "memory": "结束时裁判进程的内存是那时的 {referee}，棋手进程是 {players}。",
        "nothing": "这些对局中没有出错。",
        "axes": ("一次运行的局数", "内存（MB）"),
        "lines": ("裁判", "棋手"),
    },
}


def write_pages(folder: Path) -> None:
    """Write both pages and both charts."""
    rows = {name: Ledger(folder, name).rows() for name in GOALS}
    (PAGES / FOLDER).mkdir(exist_ok=True)
    for language, words in WORDS.items():
        text = (Path(__file__).with_name(f"page.{language}.template")).read_text("utf-8")
        suffix = "" if language == "en" else f".{language}"
        filled = text.format(**_parts(rows, words), folder=FOLDER)
        write_atomic(PAGES / f"hardening{suffix}.md", filled.encode())
        _draw(rows["games"], words, PAGES / FOLDER / f"memory-{language}.svg")


def _parts(rows: dict[str, list[dict[str, Any]]], words: dict[str, Any]) -> dict[str, Any]:
    played, wrong = rows["games"], [line for row in rows["games"] for line in row["wrong"]]
    about = {
        "games": sum(row["games"] for row in played),
        "runs": len({row["run"] for row in played}),
        "hours": sum(row["cpu_s"] for row in played) / 3600,
        "machines": "; ".join(sorted({row["machine"] for row in played})),
        "commits": ", ".join(sorted({row["commit"] for row in played})),
    }
    grown = {name: games.growth(played, f"{name}_mb") for name in ("referee", "players")}
    factors = {name: ", ".join(f"{100 * by:.1f} %" for *_, by in found) for name, found in grown.items()}
    seeds = {f"{name}_seed": _last(rows[name], "seed", 1) for name in ("games", "kills")}
    seeds["fuzz_seed"] = _last(rows["fuzz"], "seed", fuzz.SEEDS) // fuzz.SEEDS
    return {
        **seeds,
        **about,
        **_summary(rows),
        "players": len(games.PLAYERS) + 1,
        "sims": games.BUDGET.simulations,
        "nodes": games.BUDGET.nodes,
        "memory": words["memory"].format(**factors) if grown["players"] else words["none"],
        "wrong_games": "\n".join(f"- {line}" for line in wrong) or words["nothing"],
        "kills": "\n".join(_kills(rows["kills"])),
        "fuzz": "\n".join(_fuzz(rows["fuzz"])),
        "clients": "\n".join(_clients(rows["clients"])),
        "server": "\n".join(_attacks(rows["server"])),
    }


def _last(rows: list[dict[str, Any]], name: str, otherwise: Any) -> Any:
    return rows[-1][name] if rows else otherwise


def _summary(rows: dict[str, list[dict[str, Any]]]) -> dict[str, str]:
    """The cells of each test's row: its goal, what was reached and what was wrong."""
    targets = fuzz.totals(rows["fuzz"])
    reached = {
        "games": sum(row["games"] for row in rows["games"]),
        "kills": sum(row["kills"] for row in rows["kills"]),
        "fuzz": min(own["cpu_s"] for own in targets.values()),
        "clients": max((row["clients"] for row in rows["clients"]), default=0),
        "server": _last(rows["server"], "count", 0),
    }
    wrong = {name: sum(len(row.get("wrong", ())) for row in found) for name, found in rows.items()}
    wrong["fuzz"] = round(sum(own["finds"] for own in targets.values()))
    return {
        f"{name}_cells": f"{goal:,} | {reached[name]:,.0f} | {wrong[name]}" for name, goal in GOALS.items()
    }


def _kills(rows: list[dict[str, Any]]) -> list[str]:
    lines = []
    for kind in dict.fromkeys(row["kind"] for row in rows):
        own = [row for row in rows if row["kind"] == kind]
        kills, grew, items, cpu_s = (
            sum(row[name] for row in own) for name in ("kills", "grew", "items", "cpu_s")
        )
        wrong = sum(len(row["wrong"]) for row in own)
        each = cpu_s / max(1, kills)
        lines.append(f"| {kind} | {kills} | {grew} | {len(own)} | {items:,} | {wrong} | {each:.1f} s |")
    return lines


def _fuzz(rows: list[dict[str, Any]]) -> list[str]:
    return [
        f"| {name} | {own['cpu_s']:,.0f} | {own['guided_s']:,.0f} | "
        f"{own['runs']:,} | {own['edges']} | {own['finds']:.0f} |"
        for name, own in fuzz.totals(rows).items()
    ]


def _clients(rows: list[dict[str, Any]]) -> list[str]:
    lines = []
    for row in rows:
        late = " | ".join(f"{value:.1f} ms" for value in row["late_ms"].values())
        own = row.get("own_ms")  # not in the first run
        late += f" | {own['99 %']:.1f} ms | {own['worst']:.1f} ms" if own else " | ? | ?"
        done = ", ".join(f"{count:,} {what}" for what, count in sorted(row["done"].items()))
        where = f"{row['at'][:10]} | {row['commit']} | {row['machine'].split()[0]}"
        facts = f"{where} | {row['clients']} | {row['seconds']:.0f} | {row['load']}"
        lines.append(f"| {facts} | {late} | {done} | {len(row['wrong'])} |")
    return lines


def _attacks(rows: list[dict[str, Any]]) -> list[str]:
    newest = {row["attack"]: row for row in rows}
    return [
        f"| {name} | {', '.join(f'{what}: {n}' for what, n in sorted(row['seen'].items()))} | "
        f"{row['answers_again_s']} s | {row['megabytes']:.0f} MB | {len(row['wrong'])} |"
        for name, row in newest.items()
    ]


def _draw(rows: list[dict[str, Any]], words: dict[str, Any], path: Path) -> None:
    from matplotlib.figure import Figure

    from wuzi.arena.charts.style import OKABE_ITO, WIDTH, chart_style

    with chart_style():
        figure = Figure(figsize=(WIDTH, 3.6), layout="constrained")
        axes = figure.add_subplot()
        for column, name, color in zip(("referee_mb", "players_mb"), words["lines"], OKABE_ITO, strict=False):
            for number, run in enumerate(dict.fromkeys(row["run"] for row in rows)):
                own = [row for row in rows if row["run"] == run]
                label = name if number == 0 else None
                axes.plot(
                    [row["played"] for row in own], [row[column] for row in own], color=color, label=label
                )
        axes.set(xlabel=words["axes"][0], ylabel=words["axes"][1], ylim=(0, None), xlim=(0, None))
        if rows:
            axes.legend()
        with replacing(path) as temporary:
            figure.savefig(temporary, format="svg", metadata={"Date": None})
