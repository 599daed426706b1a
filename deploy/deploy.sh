#!/usr/bin/env bash
# Install or update wuzi's server on a Debian or Ubuntu machine: `deploy.sh --help` says what it does.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

usage() {
    cat <<'TEXT'
usage: deploy.sh --wheel FILE [options]        install or update
       deploy.sh --uninstall [options]         remove what it installed; games stay

Installs wuzi into /opt/wuzi/venv, a systemd service and, if nginx is installed, one nginx site. It writes
only its own files (listed below), changes a file only when its content differs, keeps your settings, tests
nginx's configuration before it reloads it, and takes its site back where that test fails. Running it
twice changes nothing the second time.

  --wheel FILE      the wheel to install (dist/wuzi-*.whl)
  --wheels DIR      take all packages from this folder, not from the package index
  --constraints F   versions to install (default: constraints.txt beside this folder, if it is there)
  --server-name N   host name of the site (default: _, any)
  --no-nginx        leave nginx alone
  --dry-run         say what would be done, do nothing
  --root DIR        install below DIR (for tests and images): no user, no service, no reload
  --python P        the Python to use (default: python3; 3.11 or newer)
  --uninstall       remove the service, the site and /opt/wuzi; games, caches and settings stay

Its files: /opt/wuzi/, /etc/systemd/system/wuzi.service, /etc/wuzi/serve.env (written once),
/etc/nginx/sites-available/wuzi.conf and its link in sites-enabled. The service's games are in
/var/lib/wuzi, compiled kernels in /var/cache/wuzi. Its user is "wuzi".
TEXT
}

say() { printf '%s\n' "$*"; }
fail() {
    printf 'deploy.sh: error: %s\n' "$*" >&2
    exit 2
}

wheel='' wheels='' constraints='' server_name=_ root='' python=python3
dry_run=no with_nginx=yes uninstall=no
changed=0

value_of() {
    [[ $# -ge 2 && -n $2 ]] || fail "$1 needs a value"
    printf '%s' "$2"
}

while [[ $# -gt 0 ]]; do
    case $1 in
        --wheel) wheel=$(value_of "$@"); shift 2 ;;
        --wheels) wheels=$(value_of "$@"); shift 2 ;;
        --constraints) constraints=$(value_of "$@"); shift 2 ;;
        --server-name) server_name=$(value_of "$@"); shift 2 ;;
        --root) root=$(value_of "$@"); shift 2 ;;
        --python) python=$(value_of "$@"); shift 2 ;;
        --no-nginx) with_nginx=no; shift ;;
        --dry-run) dry_run=yes; shift ;;
        --uninstall) uninstall=yes; shift ;;
        -h | --help) usage; exit 0 ;;
        *) fail "unknown option $1 (see --help)" ;;
    esac
done

[[ $server_name =~ ^[A-Za-z0-9._-]+$ ]] || fail "server name '$server_name': expected a host name, or _"
root=${root%/}
if [[ -n $root ]]; then
    [[ $root == /* && -d $root ]] || fail "root '$root': expected an existing folder, by its full path"
fi

venv=/opt/wuzi/venv
unit=/etc/systemd/system/wuzi.service
settings=/etc/wuzi/serve.env
site=/etc/nginx/sites-available/wuzi.conf
link=/etc/nginx/sites-enabled/wuzi.conf

# ---------------------------------------------------------------- how things are done

# Say what is done, and do it unless this is a dry run.
act() {
    local what=$1
    shift
    changed=$((changed + 1))
    if [[ $dry_run == yes ]]; then
        say "would $what"
    else
        say "$what"
        "$@"
    fi
}

# write_file PATH < content: replace the file as a whole if its content differs; $written says so.
write_file() {
    local path=$root$1 content
    written=no
    content=$(mktemp)
    cat >"$content"
    if [[ ! -f $path ]] || ! cmp -s "$content" "$path"; then
        act "write $path" replace_file "$path" "$content"
        written=yes
    fi
    rm -f "$content"
}

replace_file() {
    install -d -m 755 "$(dirname "$1")"
    install -m 644 "$2" "$1.part"
    mv -f "$1.part" "$1"
}

on_this_machine() { [[ -z $root ]]; }
systemd_runs() { on_this_machine && [[ -d /run/systemd/system ]]; }
nginx_is_wanted() { [[ $with_nginx == yes && -d $root/etc/nginx/sites-available ]]; }

# ---------------------------------------------------------------- the steps

check() {
    if on_this_machine && [[ $dry_run == no && $EUID -ne 0 ]]; then
        fail "run it as root, or with --dry-run"
    fi
    [[ $uninstall == yes ]] && return
    [[ -n $wheel ]] || fail "which wheel? --wheel dist/wuzi-VERSION-py3-none-any.whl (see --help)"
    [[ -f $wheel ]] || fail "wheel '$wheel': no such file"
    [[ -z $wheels || -d $wheels ]] || fail "wheels '$wheels': no such folder"
    if [[ -z $constraints && -f $here/../constraints.txt ]]; then
        constraints=$here/../constraints.txt
    fi
    [[ -z $constraints || -f $constraints ]] || fail "constraints '$constraints': no such file"
    "$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null ||
        fail "$python: wuzi needs Python 3.11 or newer (--python)"
}

make_user() {
    on_this_machine || return 0
    getent passwd wuzi >/dev/null && return
    act "add the system user wuzi" \
        useradd --system --user-group --home-dir /var/lib/wuzi --shell /usr/sbin/nologin wuzi
}

install_wheel() {
    local stamp=$root/opt/wuzi/installed digest
    digest=$(cat "$wheel" ${constraints:+"$constraints"} | sha256sum | cut -d' ' -f1)
    if [[ -f $stamp && $(cat "$stamp") == "$digest" && -x $root$venv/bin/wuzi ]]; then
        return
    fi
    act "install $(basename "$wheel") into $root$venv" install_packages
    [[ $dry_run == yes ]] || printf '%s\n' "$digest" >"$stamp"
    needs_restart=yes
}

install_packages() {
    local options=(--quiet --disable-pip-version-check --no-cache-dir --only-binary ':all:')
    [[ -z $wheels ]] || options+=(--no-index --find-links "$wheels")
    [[ -z $constraints ]] || options+=(-c "$constraints")
    install -d -m 755 "$root/opt/wuzi"
    # A new environment beside the old one: an update that fails leaves the old one as it was.
    rm -rf "$root$venv.new"
    "$python" -m venv "$root$venv.new" || fail "python3-venv is missing: apt-get install python3-venv"
    "$root$venv.new/bin/python" -m pip install "${options[@]}" "$wheel"
    # Scripts name their interpreter by its path: they are made for the final place.
    sed -i "1s|$root$venv.new/|$venv/|" "$root$venv.new/bin/"{wuzi,pbrain-wuzi}
    "$root$venv.new/bin/python" -c 'import wuzi'
    rm -rf "$root$venv.old"
    if [[ -d $root$venv ]]; then
        mv "$root$venv" "$root$venv.old"
    fi
    mv "$root$venv.new" "$root$venv"
    rm -rf "$root$venv.old"
}

install_settings() {
    [[ -e $root$settings ]] && return
    local names=$server_name
    [[ $names == _ ]] && names=
    write_file "$settings" < <(sed "s|@SERVER_NAME@|$names|" "$here/serve.env")
}

install_service() {
    write_file "$unit" <"$here/wuzi.service"
    if [[ $written == yes ]]; then
        needs_restart=yes
        if systemd_runs; then
            act "tell systemd about the service" systemctl daemon-reload
        fi
    fi
    if ! systemd_runs; then
        say "systemd does not run here: the service is not started"
    elif ! systemctl is-enabled --quiet wuzi || ! systemctl is-active --quiet wuzi; then
        act "enable and start the service" systemctl enable --now --quiet wuzi
    elif [[ $needs_restart == yes ]]; then
        act "restart the service" systemctl restart wuzi
    fi
}

install_site() {
    if ! nginx_is_wanted; then
        say "nginx is left alone"
        return
    fi
    local before='' is_new=no
    if [[ -f $root$site ]]; then
        before=$(mktemp)
        cp -p "$root$site" "$before"
    fi
    write_file "$site" < <(filled_site)
    is_new=$written
    if [[ ! -L $root$link ]]; then
        act "enable the site" ln -s "$site" "$root$link"
        is_new=yes
    fi
    if [[ $is_new == yes && $dry_run == no ]] && on_this_machine; then
        test_and_reload "$before"
    fi
    rm -f "$before"
}

filled_site() {
    # shellcheck disable=SC2016  # the names in the template are meant as they stand
    sed -e 's|${WUZI_UPSTREAM}|127.0.0.1:8000|' -e 's|${WUZI_SERVER_NAME}|'"$server_name"'|' \
        "$here/nginx/wuzi.conf.template"
}

# Reload nginx with the new site, or take the site back where nginx does not accept it.
test_and_reload() {
    local before=$1 report
    if ! report=$(nginx -t 2>&1); then
        if [[ -n $before ]]; then
            cp -p "$before" "$site"
        else
            rm -f "$link" "$site"
        fi
        fail "nginx does not accept the site, which was taken back: $report"
    fi
    if systemd_runs && systemctl is-active --quiet nginx; then
        act "reload nginx" systemctl reload nginx
    elif [[ -s /run/nginx.pid ]]; then
        act "reload nginx" nginx -s reload
    else
        say "nginx does not run: it will use the site when it starts"
    fi
}

uninstall() {
    if systemd_runs && systemctl cat wuzi >/dev/null 2>&1; then
        act "stop the service" systemctl disable --now --quiet wuzi
    fi
    local path
    for path in "$link" "$site" "$unit" /opt/wuzi; do
        if [[ -e $root$path || -L $root$path ]]; then
            act "remove $root$path" rm -rf "$root$path"
        fi
    done
    if on_this_machine && [[ $changed -gt 0 && $dry_run == no ]]; then
        if systemd_runs; then
            systemctl daemon-reload
        fi
        if [[ -s /run/nginx.pid ]] && nginx -t 2>/dev/null; then
            nginx -s reload
        fi
    fi
    say "games (/var/lib/wuzi), kernels (/var/cache/wuzi), settings ($settings) and the user stay"
}

needs_restart=no written=no
check
if [[ $uninstall == yes ]]; then
    uninstall
else
    make_user
    install_wheel
    install_settings
    install_service
    install_site
fi
if [[ $changed -eq 0 ]]; then
    say "nothing to change"
fi
