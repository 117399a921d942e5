#!/usr/bin/env bash
# Tests the service of deploy/README.md, on the packages under a real systemd. systemd is process 1 of a root of its own, in
# name spaces whose network is only a loopback. As root, with packages that were made for the root's release:
#   debootstrap --variant=minbase bookworm /tmp/root
#   tests/deploy/run_unit.sh /tmp/root build/packages/surtitle_*.deb build/packages/surtitle-models_*.deb
set -euo pipefail

path=PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin

# Boots the root's systemd as process 1. It can read the machine's devices and settings, but not change them.
if [[ ${SURTITLE_BOOT-} ]]; then
  root=$1
  mount --bind "$root" "$root"
  mount -t proc -o nosuid,nodev,noexec proc "$root/proc"
  mount --bind "$root/proc/sys" "$root/proc/sys"
  mount -o remount,bind,ro "$root/proc/sys"
  mount -t sysfs -o ro,nosuid,nodev,noexec sysfs "$root/sys"
  mount -t cgroup2 -o nosuid,nodev,noexec cgroup2 "$root/sys/fs/cgroup"
  mount -t tmpfs -o mode=755,nosuid dev "$root/dev"
  for device in null zero full random urandom tty; do
    touch "$root/dev/$device"
    mount --bind "/dev/$device" "$root/dev/$device"
  done
  mkdir "$root/dev/pts" "$root/dev/shm"
  mount -t devpts -o newinstance,ptmxmode=666,mode=620 devpts "$root/dev/pts"
  ln -s pts/ptmx "$root/dev/ptmx"
  ln -s /proc/self/fd "$root/dev/fd"
  mount -t tmpfs -o mode=1777 shm "$root/dev/shm"
  mount -t tmpfs -o mode=755 run "$root/run"
  hostname surtitle
  cd "$root"
  pivot_root . mnt
  umount -l /mnt
  not=-sys_module,-sys_time,-sys_rawio,-sys_boot
  exec env -i container=unshare "$path" setpriv --bounding-set=$not --inh-caps=$not /lib/systemd/systemd
fi

if (($# < 2)) || ((EUID != 0)); then
  echo 'usage: tests/deploy/run_unit.sh ROOT PACKAGE..., as root' >&2
  exit 2
fi

source=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd -P)
root=$(realpath "$1")
packages=("${@:2}")
work=$(mktemp -d)
group=$(findmnt --noheadings --output TARGET --type cgroup2 | head -n 1)/surtitle-unit-$$
machine='' systemd=''

# Installs systemd, the programs of this test, and the dependencies of the packages: the root itself cannot reach a mirror.
prepare() {
  rm -rf "$root/root/packages"
  mkdir -p "$root/root/packages"
  cp "${packages[@]}" "$root/root/packages"
  cp --remove-destination "$(realpath /etc/resolv.conf)" "$root/etc/resolv.conf"
  local depends=systemd-sysv,dbus,curl,openssl package
  for package in "${packages[@]}"; do
    depends+=,$(dpkg-deb --field "$package" Depends | sed -E 's/(^|, *)surtitle[^,]*//g')
  done
  local apt=(unshare --mount chroot "$root" env -i "$path" DEBIAN_FRONTEND=noninteractive apt-get --quiet=2)
  "${apt[@]}" update
  "${apt[@]}" satisfy --yes --no-install-recommends "$(tr -s , <<<"$depends" | sed 's/,$//')" >"$work/apt" 2>&1 ||
    { cat "$work/apt" && fail 'apt failed'; }
}

find_systemd() { systemd=$(pgrep --parent "$machine" --exact systemd); }

boot() {
  mkdir "$group"
  # shellcheck disable=SC2016  # $$ is that shell's own
  SURTITLE_BOOT=1 setsid sh -c 'echo $$ >"$0/cgroup.procs" && exec "$@"' "$group" \
    unshare --mount --uts --ipc --net --cgroup --pid --fork --kill-child "${BASH_SOURCE[0]}" "$root" \
    </dev/null >"$work/boot" 2>&1 &
  machine=$!
  await 'systemd is started' find_systemd
  await 'systemd answers' inside systemctl is-system-running --wait
}

end() {
  local status=$?
  trap - EXIT
  if ((status != 0)) && [[ $systemd ]]; then
    echo "FAILED; the last step was: $step" >&2
    inside journalctl --no-pager --lines=40 --unit=surtitled.socket --unit=surtitled.service >&2 || true
  fi
  touch "$work/enough"
  if [[ $machine ]]; then
    kill -KILL "$machine" 2>/dev/null || true
    wait 2>/dev/null || true
    while [[ -s $group/cgroup.procs ]] || ! find "$group" -depth -type d -exec rmdir {} + 2>/dev/null; do sleep 0.1; done
  fi
  rm -rf "$work"
  exit "$status"
}

# Run a command in the root, and print the path of a file in the root.
inside() { nsenter --target "$systemd" --mount --uts --ipc --net --pid --cgroup -- env -i LANG=C.UTF-8 "$path" "$@"; }
file() { echo "/proc/$systemd/root$1"; }

step=''
begin() {
  step=$1
  echo "$(date +%T) $1"
}

fail() {
  echo "$1" >&2
  exit 1
}

# Waits until a command succeeds.
await() {
  local what=$1 tries
  shift
  for ((tries = 0; tries < 1200; ++tries)); do
    if "$@" >/dev/null 2>&1; then return; fi
    sleep 0.1
  done
  fail "not within two minutes: $what"
}


service() { inside systemctl show --property="$1" --value surtitled.service; }

equal() {  # what, found, expected
  [[ $2 == "$3" ]] || fail "$1 is '$2', not '$3'"
}

write() {  # writes lines to a file in the root
  local file=/proc/$systemd/root$1
  mkdir -p "$(dirname "$file")"
  printf '%s\n' "${@:2}" >"$file"
}
unit_d=/etc/systemd/system/surtitled.service.d
configure() { write /etc/surtitle/surtitled.yaml "$@"; }
bearer() { echo "Authorization: Bearer $(inside cat "$1")"; }

url=http://127.0.0.1:8765
ask() { inside curl --silent --show-error --max-time 60 "$@"; }
status_of() { ask --output /dev/null --write-out '%{http_code}' "$@"; }

# Prints words at the pace of a fast speaker. At the end of the test, it completes its line.
print_words() {
  local line word
  while [[ ! -e $work/enough ]] && read -r line; do
    for word in $line; do
      printf '%s ' "$word"
      sleep 0.1
    done
    echo
  done <"$source/tests/data/de-en/europarl.test.de"
}

# Connects again and again. The service must accept each connection.
connect_repeatedly() {
  local code
  while [[ ! -e $work/enough ]]; do
    code=0
    ask --fail --output /dev/null "$url/livez" 2>>"$work/connections.errors" || code=$?
    echo "$code" >>"$work/connections"
  done
}

# Checks that no connection was refused since the last check. An accepted connection is reset (curl exits with 52 or 56) if
# its daemon is killed, or ends more than a second before the request.
check_connections() {
  await 'there are connections' test -s "$work/connections"
  if grep -vxE '0|52|56' "$work/connections" | sort | uniq -c | grep .; then
    tail -n 3 "$work/connections.errors"
    fail 'connections failed; the lines above have their number and the exit code of curl'
  fi
  echo "  $(wc -l <"$work/connections") connections, $(grep -cvx 0 "$work/connections") of them reset"
  : >"$work/connections"
}

translated() { wc -l <"$work/translation"; }
more_than() { (($(translated) > $1)); }
stream_continues() { await 'the stream continues' more_than "$(translated)"; }

main_process() { service MainPID; }
is_another() { [[ $(service ActiveState) == active && $(main_process) != "$1" ]]; }

undisturbed() { inside surtitle pipe --token-file /root/token <"$work/words" >"$work/undisturbed"; }

# Makes a new key and its certificate; the file of the key keeps its mode and group.
certify() {
  inside sh -c 'cd /etc/surtitle && openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 \
    -subj /CN=localhost -addext subjectAltName=DNS:localhost -keyout /root/private.pem -out chain.pem 2>/dev/null &&
    cat /root/private.pem >private.pem'
}
tls_status() { status_of --cacert "/etc/surtitle/chain.pem" https://localhost:8765/livez; }

trap end EXIT
trap 'exit 1' INT TERM

begin "Preparing $root"
prepare
begin 'Booting'
boot
equal 'the network' "$(inside ls /sys/class/net)" lo
inside systemctl --version | head -n 1

begin 'The package starts the service, which reports that it is ready'
inside sh -c 'dpkg --install /root/packages/*.deb' >"$work/dpkg" 2>&1 || { cat "$work/dpkg" && fail 'dpkg failed'; }
for unit in surtitled.socket surtitled.service; do
  equal "$unit" "$(inside systemctl is-active $unit)" active
  equal "$unit" "$(inside systemctl is-enabled $unit)" enabled
done
equal 'the type of the service' "$(service Type)" notify
equal 'the status of the service' "$(service StatusText)" "serving on $url/"
equal '/readyz' "$(status_of $url/readyz)" 200
equal 'the translation' "$(inside surtitle pipe <<<'Guten Morgen.')" 'Good morning.'

begin 'The daemon has a user of its own, and only this user can read the journal'
user=$(service UID)
((user >= 61184 && user <= 65519)) || fail "the user is $user, which is no dynamic one"
equal 'the user of its process' "$(inside stat --format=%u "/proc/$(main_process)")" "$user"
# From systemd 257 on, the files of a dynamic user belong to 65534 on the disk, and to that user in the service's view.
[[ $(inside systemctl --version) =~ ^systemd\ ([0-9]+) ]] && ((BASH_REMATCH[1] >= 257)) && user=65534
equal 'the journal' "$(inside stat --format='%a %u' -L /var/lib/surtitle/ /var/lib/surtitle/journal.sqlite | paste -sd ' ')" \
  "700 $user 600 $user"
inside surtitle journal check --journal-path /var/lib/surtitle/journal.sqlite

begin 'The daemon uses a configuration and tokens for its group; a forbidden system call would kill it'
inside groupadd --system surtitle-keys
inside sh -c 'surtitle token --name test --role send,view,admin --add /etc/surtitle/tokens >/root/token
  cd /etc/surtitle && chgrp surtitle-keys tokens && chmod 640 tokens'
configure 'sentence: {silence: 60}' 'access: {tokens: /etc/surtitle/tokens}'
write "$unit_d/test.conf" '[Service]' 'SupplementaryGroups=surtitle-keys' 'SystemCallErrorNumber=kill' 'WatchdogSec=4'
inside systemctl daemon-reload
inside systemctl restart surtitled
equal '/metrics without a token' "$(status_of $url/metrics)" 401
equal '/metrics with the token' "$(status_of --header "$(bearer /root/token)" $url/metrics)" 200

begin 'A reload returns after the daemon has read its tokens again'
process=$(main_process)
for i in {1..20}; do
  inside sh -c "surtitle token --name t$i --role admin --add /etc/surtitle/tokens >/root/another"
  inside systemctl reload surtitled
  equal "/metrics with token $i" "$(status_of --header "$(bearer /root/another)" $url/metrics)" 200
done
equal 'the process' "$(main_process)" "$process"

print_words | tee "$work/words" | inside surtitle pipe --channel hall --token-file /root/token >"$work/translation" 2>"$work/notes" &
sender=$!
for _ in {1..3}; do connect_repeatedly & done
stream_continues

begin 'Restarts refuse no connection, and the stream continues'
for _ in {1..4}; do
  inside systemctl restart surtitled
  stream_continues
done
equal 'restarts by systemd itself' "$(service NRestarts)" 0
check_connections

begin 'An upgrade refuses no connection, and the stream continues'
process=$(main_process)
inside sh -c 'dpkg --install /root/packages/*.deb' >"$work/dpkg" 2>&1 || { cat "$work/dpkg" && fail 'dpkg failed'; }
is_another "$process" || fail 'the upgrade did not restart the daemon'
stream_continues
check_connections

begin 'A killed daemon is restarted, and the stream continues'
for _ in {1..3}; do
  process=$(main_process)
  inside systemctl kill --kill-whom=main --signal=KILL surtitled
  await 'another daemon' is_another "$process"
  stream_continues
done
equal 'restarts by systemd itself' "$(service NRestarts)" 3
check_connections

begin 'The watchdog ends a stalled daemon, and the stream continues'
process=$(main_process)
inside systemctl kill --kill-whom=main --signal=STOP surtitled
await 'another daemon' is_another "$process"
inside journalctl --unit=surtitled --grep='watchdog' --no-pager --output=cat | sed 's/^/  /'
stream_continues
equal 'restarts by systemd itself' "$(service NRestarts)" 4
check_connections

begin 'No word was lost'
touch "$work/enough"
wait "$sender" || { cat "$work/notes" && fail 'surtitle pipe failed'; }
# A daemon that has just started may ask a client to try again later.
await 'an undisturbed run succeeds' undisturbed
cmp "$work/translation" "$work/undisturbed" || { diff "$work/undisturbed" "$work/translation" | head && fail 'words differ'; }
sed 's/^/  /' "$work/notes"
echo "  $(wc -w <"$work/words") words in, $(wc -w <"$work/translation") out, as in an undisturbed run"

begin 'A reload makes the daemon read its certificates again'
certify
inside sh -c 'cd /etc/surtitle && chgrp surtitle-keys private.pem && chmod 640 private.pem'
configure 'tls: {certificate: /etc/surtitle/chain.pem, key: /etc/surtitle/private.pem}'
inside systemctl restart surtitled
equal 'over TLS' "$(tls_status)" 200
certify
if tls_status >/dev/null 2>&1; then fail 'the certificate changed without a reload'; fi
inside systemctl reload surtitled
equal 'after the reload' "$(tls_status)" 200

begin 'A broken configuration is reported, and connections wait until it is corrected'
configure 'port: many'
if inside systemctl restart surtitled 2>"$work/refused"; then fail 'the daemon started with a broken configuration'; fi
inside journalctl --unit=surtitled --grep='port' --lines=1 --no-pager --output=cat | sed 's/^/  /'
ask --fail --output /dev/null "$url/livez" &
request=$!
tries_again() { (($(service NRestarts) > 6)); }  # systemd's own limit is five starts in ten seconds
await 'systemd tries again' tries_again
configure 'log: {level: info}'
wait "$request" || fail 'a connection that waited was refused'
equal 'the service' "$(inside systemctl is-active surtitled)" active

begin 'A stop ends the service with success, and with an open socket a connection starts it again'
inside systemctl stop surtitled.socket surtitled.service
equal 'the result' "$(service ActiveState) $(service Result) $(service ExecMainStatus)" 'inactive success 0'
inside systemctl start surtitled.socket
equal 'the service' "$(inside systemctl is-active surtitled || true)" inactive
equal '/readyz' "$(status_of $url/readyz)" 200
equal 'the service' "$(inside systemctl is-active surtitled)" active

# Prints the files with Surtitle's name, except the packages and files of this test.
left() { inside find / -xdev -name '*surtitle*' -not -path '/root/*' -not -path "$unit_d*" | sort | paste -sd ' '; }

begin 'A removal leaves the configuration and the journal; a purge leaves only files of others'
inside dpkg --remove surtitle surtitle-models >"$work/dpkg" 2>&1 || { cat "$work/dpkg" && fail 'dpkg failed'; }
equal 'the service' "$(service ActiveState) $(service Result)" 'inactive success'
equal 'the socket' "$(inside systemctl is-active surtitled.socket || true)" inactive
inside test -e /etc/surtitle/surtitled.yaml -a -e /var/lib/surtitle/journal.sqlite
inside dpkg --install --recursive /root/packages >"$work/dpkg" 2>&1 || { cat "$work/dpkg" && fail 'dpkg failed'; }
equal 'the units after another installation' "$(inside systemctl is-active surtitled.socket surtitled.service | paste -sd ' ')" 'active active'
inside dpkg --purge surtitle surtitle-models >"$work/dpkg" 2>&1 || { cat "$work/dpkg" && fail 'dpkg failed'; }
equal 'the remaining files' "$(left)" "/etc/surtitle"
equal 'failed units' "$(inside systemctl --failed --plain --no-legend)" ''

begin 'All checks passed'
