#!/usr/bin/env bash
# Runs the container's recipe without a container engine. Its steps run in two Debian 13 roots, one for each stage. The
# daemon is then started as its user, and its health check is run. As root:
#   for root in build final; do debootstrap --variant=minbase trixie /tmp/$root; done
#   tests/deploy/run_containerfile.sh /tmp/build /tmp/final
set -euo pipefail

if (($# != 2)) || ((EUID != 0)); then
  echo 'usage: tests/deploy/run_containerfile.sh BUILD_ROOT FINAL_ROOT, as root' >&2
  exit 2
fi
# The script has mounts of its own, which end with it.
if [[ ! ${SURTITLE_IN_MOUNTS-} ]]; then
  SURTITLE_IN_MOUNTS=1 exec unshare --mount --pid --fork --kill-child "${BASH_SOURCE[0]}" "$@"
fi
source=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd -P)
roots=("$@")
stage=-1 root='' folder=/ user=0:0 entry=() command=() health=()

become() {  # replaces this shell by a command, as a user in the stage's root
  local as=$1
  shift
  exec chroot --userspec="$as" "$root" env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
    DEBIAN_FRONTEND=noninteractive "${environment[@]}" "$@"
}
enter() { (become "$@"); }

begin_stage() {
  root=${roots[++stage]} folder=/
  environment=()
  mount -t proc proc "$root/proc"
  mount --rbind /dev "$root/dev"
  # The network is this machine's: its name servers, and its additional certificates (such as those of a TLS proxy).
  cp --remove-destination "$(realpath /etc/resolv.conf)" "$root/etc/resolv.conf"
  if compgen -G '/usr/local/share/ca-certificates/*.crt' >/dev/null; then
    mkdir -p "$root/usr/local/share/ca-certificates"
    cp /usr/local/share/ca-certificates/*.crt "$root/usr/local/share/ca-certificates"
  fi
}

# Copies the files that git knows, except those of .dockerignore; `from` is a path below the source.
copy_source() {
  local from=$1 to=$2
  git -C "$source" ls-files -z -- "$from" | grep -zvE '^(docs|tests|examples|clients)/' |
    tar -C "$source" --null --files-from=- -c | tar -C "$to" -x
}

copy() {
  if [[ $1 == --from=* ]]; then
    mkdir -p "$root/$3"
    # shellcheck disable=SC2086  # the recipe has patterns
    cp ${roots[0]}$2 "$root/$3"
  else
    mkdir -p "$root$folder"
    copy_source "$1" "$root$folder"
  fi
}

json_words() { jq -r '.[]' <<<"$1"; }

while IFS=' ' read -r instruction rest; do
  case $instruction in
    FROM) begin_stage ;;
    WORKDIR) folder=$rest && mkdir -p "$root$folder" ;;
    COPY) echo "COPY $rest" && read -ra words <<<"$rest" && copy "${words[@]}" ;;
    RUN) echo "RUN $rest" && enter 0:0 sh -c "cd $folder && $rest" ;;
    ENV) environment+=("$rest") ;;
    USER) user=$rest ;;
    ENTRYPOINT) mapfile -t entry < <(json_words "$rest") ;;
    CMD) mapfile -t command < <(json_words "$rest") ;;
    HEALTHCHECK) mapfile -t health < <(json_words "${rest#*CMD }") ;;
  esac
done < <(sed -e '/^#/d' "$source/deploy/container/Containerfile" | sed -e ':a' -e '/\\$/{N;s/\\\n//;ba}' | sed '/^$/d')

echo "${entry[*]} ${command[*]} as $user"
ready=$(mktemp -u)
mkfifo "$ready"
become "$user" "${entry[@]}" "${command[@]}" >"$ready" &
daemon=$!
read -r line <"$ready"
echo "$line"
enter "$user" "${health[@]}"
echo 'The health check succeeded'
kill -TERM "$daemon"
wait "$daemon"
rm "$ready"
echo 'The daemon ended with 0'
