"""The deployment's files hold together, and deploy.sh touches its own files only, once."""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
import socket
import subprocess
from pathlib import Path

import httpx
import pytest
import yaml
from websockets.sync.client import connect
from websockets.typing import Origin

from tests.web_server import running_server, until
from wuzi.apps.cli.frame import COMMANDS

ROOT = Path(__file__).resolve().parent.parent
DEPLOY = ROOT / "deploy"
OWN = {
    "etc/nginx/sites-available/wuzi.conf",
    "etc/nginx/sites-enabled/wuzi.conf",
    "etc/systemd/system/wuzi.service",
    "etc/wuzi/serve.env",
}
posix_only = pytest.mark.skipif(os.name != "posix", reason="runs a shell script")
FAKE_PYTHON = """\
#!/bin/sh
# Enough of a Python for deploy.sh: `-m venv DIR` copies itself, `-m pip install` makes the commands.
case "$*" in
    *"-m venv"*) mkdir -p "$3/bin" && cp "$0" "$3/bin/python" ;;
    *"-m pip"*)
        [ ! -e "$FAIL_PIP" ] || exit 1
        for name in wuzi pbrain-wuzi; do
            printf '#!%s/python\\n' "$(dirname "$0")" > "$(dirname "$0")/$name"
            chmod +x "$(dirname "$0")/$name"
        done ;;
esac
"""


def text_of(name: str) -> str:
    return (DEPLOY / name).read_text(encoding="utf-8")


def serve_options() -> set[str]:
    """The options that `wuzi serve` knows."""
    command = COMMANDS["serve"].load("serve")
    return {option for parameter in command.params for option in (*parameter.opts, *parameter.secondary_opts)}


def named_options(text: str) -> set[str]:
    return set(re.findall(r"(?<![\w-])--[a-z][a-z-]+", text))


# ---------------------------------------------------------------------------- the files


def test_everything_starts_the_server_with_options_it_has() -> None:
    known = serve_options()
    compose = yaml.safe_load(text_of("compose.yaml"))["services"]["wuzi"]
    unit = "".join(re.findall(r"^ExecStart=.*|^Environment=\"WUZI_SERVE.*", text_of("wuzi.service"), re.M))
    image = "".join(re.findall(r"^(?:ENTRYPOINT|CMD) .*", text_of("Dockerfile"), re.M))
    settings = "".join(re.findall(r"^WUZI_SERVE_OPTIONS=.*", text_of("serve.env"), re.M))
    for text in (" ".join(compose["command"]), unit, image, settings):
        assert named_options(text)
        assert named_options(text) <= known
    table = text_of("README.md").split("## Limits")[1].split("## ")[0]
    assert named_options(table) <= known


def test_the_image_is_small_and_not_root() -> None:
    image = text_of("Dockerfile")
    stages = re.findall(r"^FROM (\S+)(?: AS (\w+))?", image, re.M)
    assert [name for _, name in stages] == ["build", ""]
    last = image[image.rindex("\nFROM ") :]
    assert re.search(r"^USER wuzi$", last, re.M)
    assert "/api/v1/health" in last[last.index("HEALTHCHECK") :]
    kept = text_of("Dockerfile.dockerignore").splitlines()
    copied = " ".join(re.findall(r"^COPY (?!--from)(.+) \S+$", image, re.M)).split()
    assert copied
    for source in copied:
        assert (ROOT / source).exists()
        assert f"!{source}" in kept


def test_compose_limits_what_it_starts() -> None:
    services = yaml.safe_load(text_of("compose.yaml"))["services"]
    wuzi = services["wuzi"]
    assert wuzi["read_only"] is True and wuzi["cap_drop"] == ["ALL"]
    assert {"mem_limit", "cpus", "pids_limit"} <= set(wuzi)
    assert all(port.startswith("127.0.0.1:") for port in wuzi["ports"]), "only the proxy is public"
    for volume in services["nginx"]["volumes"]:
        assert (DEPLOY / volume.split(":")[0]).exists()


def test_the_unit_gives_nothing_away() -> None:
    unit = text_of("wuzi.service")
    wanted = {"User=wuzi", "NoNewPrivileges=yes", "ProtectSystem=strict", "CapabilityBoundingSet="}
    assert wanted <= set(unit.splitlines())
    assert re.search(r"^MemoryMax=", unit, re.M)
    assert "MemoryDenyWriteExecute" not in unit, "kernels are compiled in memory"


def test_every_block_of_the_site_that_sets_headers_sets_them_all() -> None:
    """nginx inherits proxy_set_header only into blocks that have none: a forgotten Host refuses sockets."""
    site = text_of("nginx/wuzi.conf.template")
    assert site.count("{") == site.count("}")
    assert set(re.findall(r"\$\{(\w+)\}", site)) == {"WUZI_UPSTREAM", "WUZI_SERVER_NAME"}
    blocks = re.findall(r"location [^{]+\{([^}]*)\}", site)
    assert len(blocks) == 6
    for block in blocks:
        assert "proxy_pass http://wuzi;" in block
        if "proxy_set_header" in block:
            names = set(re.findall(r"proxy_set_header (\S+)", block))
            assert {"Host", "X-Forwarded-For", "X-Forwarded-Proto", "Connection"} <= names


def nginx_with_the_site(folder: Path, upstream: str, listen: str | None = None) -> Path:
    """A configuration of nginx with the site and nothing else; everything it writes is in the folder."""
    site = text_of("nginx/wuzi.conf.template").replace("${WUZI_UPSTREAM}", upstream)
    site = site.replace("${WUZI_SERVER_NAME}", "play.example.org")
    if listen is not None:
        site = site.replace("listen 80;", f"listen {listen};").replace("listen [::]:80;", "")
    return nginx_with(folder, site)


def nginx_with(folder: Path, site: str) -> Path:
    """A configuration of nginx with this text in its ``http`` and nothing else."""
    main = folder / "nginx.conf"
    head = f"pid {folder}/pid;\nerror_log {folder}/error.log;\nevents {{}}\n"
    kinds = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    places = "".join(f"{kind}_temp_path {folder}/{kind};\n" for kind in kinds)
    main.write_text(f"{head}http {{\naccess_log off;\n{places}{site}\n}}\n", encoding="utf-8")
    return main


@pytest.mark.may_skip
@pytest.mark.skipif(shutil.which("nginx") is None, reason="no nginx here")
def test_a_game_is_played_through_nginx(tmp_path: Path) -> None:
    port = free_port()
    # The server knows one host name: requests only pass if nginx hands it on.
    with running_server(tmp_path / "data", allowed_hosts=frozenset({"play.example.org"})) as server:
        main = nginx_with_the_site(tmp_path, f"127.0.0.1:{server.port}", f"127.0.0.1:{port}")
        nginx = subprocess.Popen(["nginx", "-c", str(main), "-g", "daemon off;"])
        host = {"host": "play.example.org"}
        try:
            with httpx.Client(base_url=f"http://127.0.0.1:{port}", headers=host, timeout=120) as client:
                until(lambda: answers(client), "nginx answers")
                game = server.new_game(None, None)
                path = f"/store/games/{game['id']}"
                with connect(
                    f"ws://play.example.org/ws/v1{path}",
                    sock=socket.create_connection(("127.0.0.1", port)),
                    origin=Origin("http://play.example.org"),
                ) as followed:
                    stored = client.get(f"/api/v1{path}").json()
                    body = {"version": 1, "summary": {}, "data": stored["data"] | {"seq": 7}}
                    answer = client.put(f"/api/v1{path}", json=body)
                    assert answer.status_code == 200, answer.text
                    messages = (json.loads(text) for text in followed)
                    values = (message["value"] for message in messages if message["type"] == "stored")
                    assert next(one["data"]["seq"] for one in values if one["version"] == 2) == 7
                url = "ws://play.example.org/ws/v1/analysis"
                with connect(url, sock=socket.create_connection(("127.0.0.1", port))) as asking:
                    question = {"type": "start", "id": "q", "position": {"size": 9}, "engine": "weight"}
                    asking.send(json.dumps(question))
                    kinds = (json.loads(text)["type"] for text in asking)
                    assert next(kind for kind in kinds if kind in ("done", "error")) == "done"
                foreign = client.put(
                    "/api/v1/store/games/some", json={}, headers={"origin": "http://elsewhere"}
                )
                assert (foreign.status_code, foreign.json()["code"]) == (403, "forbidden_origin")
                burst = {client.post("/api/game/new", json={"size": 1}).status_code for _ in range(30)}
                assert burst == {422, 429}, "the proxy limits how often games are made"
        finally:
            nginx.terminate()
            nginx.wait(30)


@pytest.mark.may_skip
@pytest.mark.skipif(shutil.which("nginx") is None, reason="no nginx here")
def test_nginx_serves_it_below_a_path_of_another_site(tmp_path: Path) -> None:
    port, known = free_port(), frozenset({"play.example.org"})
    with running_server(tmp_path / "data", allowed_hosts=known, root_path="/five/wuzi") as server:
        block = text_of("nginx/below-a-path.conf.template").replace("${WUZI_PATH}", "/five/wuzi")
        block = block.replace("${WUZI_UPSTREAM}", f"127.0.0.1:{server.port}")
        site = f"server {{\nlisten 127.0.0.1:{port};\nserver_name play.example.org;\n{block}\n}}"
        main = nginx_with(tmp_path, site)
        nginx = subprocess.Popen(["nginx", "-c", str(main), "-g", "daemon off;"])
        host = {"host": "play.example.org", "origin": "http://play.example.org"}
        try:
            with httpx.Client(
                base_url=f"http://127.0.0.1:{port}/five/wuzi", headers=host, timeout=120
            ) as client:
                until(lambda: answers(client), "nginx answers")
                game = server.new_game(None, None)["id"]
                assert client.get(f"/api/v1/store/games/{game}").json()["version"] == 1
                with connect(
                    f"ws://play.example.org/five/wuzi/ws/v1/store/games/{game}",
                    sock=socket.create_connection(("127.0.0.1", port)),
                    origin=Origin("http://play.example.org"),
                ) as followed:
                    assert json.loads(followed.recv(60))["type"] == "stored"
                bare = httpx.get(f"http://127.0.0.1:{port}/five/wuzi", headers=host)
                assert bare.status_code == 301 and bare.headers["location"].endswith("/five/wuzi/")
                foreign = client.put(
                    "/api/v1/store/games/some", json={}, headers={"origin": "http://elsewhere"}
                )
                assert (foreign.status_code, foreign.json()["code"]) == (403, "forbidden_origin")
        finally:
            nginx.terminate()
            nginx.wait(30)


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as found:
        port: int = found.getsockname()[1]
        return port


def answers(client: httpx.Client) -> bool:
    with contextlib.suppress(httpx.TransportError):
        return client.get("/api/v1/engines").is_success
    return False


@pytest.mark.may_skip
@pytest.mark.skipif(shutil.which("nginx") is None, reason="no nginx here")
def test_nginx_accepts_the_site(tmp_path: Path) -> None:
    main = nginx_with_the_site(tmp_path, "127.0.0.1:8000")
    done = subprocess.run(["nginx", "-t", "-c", str(main)], capture_output=True, text=True, check=False)
    assert done.returncode == 0 or "bind()" in done.stderr, done.stderr
    assert "syntax is ok" in done.stderr, done.stderr


@pytest.mark.may_skip
@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="no systemd here")
def test_systemd_accepts_the_unit(tmp_path: Path) -> None:
    unit = tmp_path / "wuzi.service"
    unit.write_text(text_of("wuzi.service").replace("/opt/wuzi/venv/bin/wuzi", "/bin/true"), encoding="utf-8")
    done = subprocess.run(
        ["systemd-analyze", "verify", str(unit)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0 and "wuzi.service" not in done.stderr, done.stderr


@pytest.mark.may_skip
@pytest.mark.skipif(shutil.which("shellcheck") is None, reason="no shellcheck here")
def test_shellcheck_finds_nothing() -> None:
    done = subprocess.run(["shellcheck", DEPLOY / "deploy.sh"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


# ---------------------------------------------------------------------------- the script


class Machine:
    """A root folder with nginx in it, and a stand-in for Python."""

    def __init__(self, folder: Path) -> None:
        self.root = folder / "root"
        for name in ("sites-available", "sites-enabled"):
            (self.root / "etc/nginx" / name).mkdir(parents=True)
        (self.root / "etc/nginx/sites-available/default").write_text("# somebody else's\n")
        self.wheel = folder / "wuzi-1-py3-none-any.whl"
        self.wheel.write_bytes(b"one")
        self.python = folder / "python"
        self.python.write_text(FAKE_PYTHON)
        self.python.chmod(0o755)
        self.fail_pip = folder / "fail-pip"

    def run(self, *options: str, code: int = 0) -> str:
        command = ["bash", str(DEPLOY / "deploy.sh"), "--root", str(self.root), "--python", str(self.python)]
        done = subprocess.run(
            [*command, *options],
            capture_output=True,
            text=True,
            check=False,
            env={**os.environ, "FAIL_PIP": str(self.fail_pip)},
            timeout=60,
        )
        assert done.returncode == code, done.stdout + done.stderr
        return done.stdout + done.stderr

    def install(self, *options: str, code: int = 0) -> str:
        return self.run("--wheel", str(self.wheel), "--server-name", "play.example.org", *options, code=code)

    def files(self) -> dict[str, bytes]:
        """All files and links, without what is in /opt/wuzi."""
        found = {}
        for path in sorted(self.root.rglob("*")):
            name = path.relative_to(self.root).as_posix()
            if (path.is_symlink() or path.is_file()) and not name.startswith("opt/wuzi/"):
                found[name] = os.readlink(path).encode() if path.is_symlink() else path.read_bytes()
        return found


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


@posix_only
@pytest.mark.may_skip
def test_a_dry_run_does_nothing(machine: Machine) -> None:
    before = machine.files()
    said = machine.install("--dry-run")
    assert machine.files() == before and not (machine.root / "opt").exists()
    for name in ("wuzi.conf", "wuzi.service", "serve.env"):
        assert f"/{name}" in said
    assert "nothing to change" not in said


@posix_only
@pytest.mark.may_skip
def test_two_runs_write_its_own_files_once(machine: Machine) -> None:
    before = machine.files()
    machine.install()
    after = machine.files()
    assert set(after) - set(before) == OWN
    assert {name: after[name] for name in before} == before
    assert b"server_name play.example.org;" in after["etc/nginx/sites-available/wuzi.conf"]
    assert b"server 127.0.0.1:8000;" in after["etc/nginx/sites-available/wuzi.conf"]
    assert b"WUZI_ALLOWED_HOSTS=play.example.org\n" in after["etc/wuzi/serve.env"]
    script = (machine.root / "opt/wuzi/venv/bin/wuzi").read_text()
    assert script.startswith("#!/opt/wuzi/venv/bin/python"), "not the place where it was built"
    stamps = {path: path.lstat().st_mtime_ns for path in machine.root.rglob("*")}
    assert "nothing to change" in machine.install()
    assert {path: path.lstat().st_mtime_ns for path in machine.root.rglob("*")} == stamps


@posix_only
@pytest.mark.may_skip
def test_settings_are_kept_and_a_changed_unit_is_replaced(machine: Machine) -> None:
    machine.install()
    settings, unit = machine.root / "etc/wuzi/serve.env", machine.root / "etc/systemd/system/wuzi.service"
    settings.write_text("WUZI_SERVE_OPTIONS=--read-only\n")
    unit.write_text("# an old one\n")
    machine.wheel.write_bytes(b"two")
    said = machine.install()
    assert "wuzi.service" in said and "install wuzi-1" in said
    assert settings.read_text() == "WUZI_SERVE_OPTIONS=--read-only\n"
    assert unit.read_bytes() == (DEPLOY / "wuzi.service").read_bytes()


@posix_only
@pytest.mark.may_skip
def test_an_update_that_fails_leaves_the_old_version(machine: Machine) -> None:
    machine.install()
    old = (machine.root / "opt/wuzi/venv/bin/wuzi").stat().st_ino
    machine.wheel.write_bytes(b"two")
    machine.fail_pip.touch()
    machine.install(code=1)
    assert (machine.root / "opt/wuzi/venv/bin/wuzi").stat().st_ino == old
    machine.fail_pip.unlink()
    machine.install()
    assert (machine.root / "opt/wuzi/venv/bin/wuzi").stat().st_ino != old


@posix_only
@pytest.mark.may_skip
def test_uninstalling_removes_its_own_files_and_keeps_settings(machine: Machine) -> None:
    before = machine.files()
    machine.install()
    machine.run("--uninstall", "--dry-run")
    assert OWN <= set(machine.files())
    machine.run("--uninstall")
    assert set(machine.files()) == set(before) | {"etc/wuzi/serve.env"}
    assert not (machine.root / "opt/wuzi").exists()
    assert "nothing to change" in machine.run("--uninstall")


@posix_only
@pytest.mark.may_skip
@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--whel", "x"), "unknown option --whel"),
        (("--wheel", "nowhere.whl"), "nowhere.whl"),
        (("--wheel",), "--wheel needs a value"),
        (("--uninstall", "--server-name", "a;b"), "server name 'a;b'"),
        ((), "which wheel?"),
    ],
)
def test_wrong_options_are_one_clear_line(machine: Machine, options: tuple[str, ...], said: str) -> None:
    text = machine.run(*options, code=2)
    assert said in text and text.startswith("deploy.sh: error: ")
    assert not (machine.root / "opt").exists()
