#!/bin/sh
# Builds the image with Buildah, without an image registry, and runs it: base images are made from Debian packages and
# the Node of this machine. Needs root, buildah, debootstrap, openssl, and the registries of Debian and npm.
#
#   apps/reference-server/docker/try-image.sh [folder]
#
# Takes ten minutes or so and 5 GB. Everything is made in a temporary folder, which is removed at the end. A folder that
# is given stays, and the base images in it are used again.
set -eu
if [ "$(id -u)" != 0 ]; then
  echo 'try-image.sh: only root can make base images' >&2
  exit 1
fi
root=$(cd "$(dirname "$0")/../../.." && pwd)
if [ $# -eq 0 ]; then
  work=$(mktemp -d)
  remove=$work
else
  mkdir -p "$1"
  work=$(cd "$1" && pwd)
  remove=$work/secrets
fi

buildah() {
  timeout --kill-after=10 3600 buildah --root "$work/store" --runroot "$work/run" --storage-driver vfs "$@"
}

server=
clean_up() {
  status=$?
  if [ -n "$server" ]; then
    kill "$(sed -n 's/^pid //p' "$work/server.log")" 2>/dev/null || kill "$server" 2>/dev/null || true
    wait "$server" || true
  fi
  buildah rm --all >/dev/null 2>&1 || true
  rm -rf --one-file-system "$remove"
  exit $status
}
trap clean_up EXIT
trap 'exit 1' HUP INT TERM

# make_base NAME PACKAGES: Debian with the Node of this machine, where the image of Docker Hub has it.
make_base() {
  if buildah inspect --type image "localhost/$1" >/dev/null 2>&1; then return; fi
  rootfs=$work/rootfs
  rm -rf "$rootfs"
  timeout 1800 debootstrap --variant=minbase --include="$2" bookworm "$rootfs" >"$work/debootstrap.log"
  node=$(readlink -f "$(command -v node)")
  node_prefix=$(dirname "$(dirname "$node")")
  mkdir -p "$rootfs/usr/local/lib/node_modules" "$rootfs/usr/local/include"
  cp "$node" "$rootfs/usr/local/bin/node"
  cp -R "$node_prefix/lib/node_modules/npm" "$rootfs/usr/local/lib/node_modules/"
  cp -R "$node_prefix/include/node" "$rootfs/usr/local/include/"
  ln -s ../lib/node_modules/npm/bin/npm-cli.js "$rootfs/usr/local/bin/npm"
  # The proxy of this machine, if it has one, signs with a certificate of its own.
  cp /etc/ssl/certs/ca-certificates.crt "$rootfs/etc/ssl/certs/ca-certificates.crt"
  chroot "$rootfs" groupadd --gid 1000 node
  chroot "$rootfs" useradd --uid 1000 --gid node --create-home node
  container=$(buildah from scratch)
  buildah add -q "$container" "$rootfs" / >/dev/null
  buildah config --env PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
    --env NODE_EXTRA_CA_CERTS=/etc/ssl/certs/ca-certificates.crt "$container"
  buildah commit -q --rm "$container" "localhost/$1" >/dev/null
  rm -rf "$rootfs"
}

buildah --version
make_base try-node ca-certificates,g++,make,python3
make_base try-node-slim ca-certificates

buildah bud --format docker --isolation chroot --network host --build-arg NODE_IMAGE=localhost/try-node \
  --build-arg NODE_SLIM_IMAGE=localhost/try-node-slim -t localhost/try-server -f "$root/apps/reference-server/Dockerfile" "$root"
buildah inspect --type image localhost/try-server | grep -q '"Healthcheck"'


# As compose.yaml does: each secret is a mount of its own, readable by its owner alone, who is the user of the server.
"$root/apps/reference-server/docker/make-secrets.sh" "$work/secrets"
port=$(node -e 'const s = require("net").createServer().listen(0, "127.0.0.1", () => { console.log(s.address().port); s.close() })')
container=$(buildah from localhost/try-server)
# Replaces this shell, so that a signal to its process reaches Buildah.
start_server() {
  set --
  for name in keys.json internal-token metrics-token tls.pem tls-key.pem; do
    set -- "$@" --volume "$work/secrets/$name:/run/secrets/$name:ro"
  done
  exec timeout 300 buildah --root "$work/store" --runroot "$work/run" --storage-driver vfs run --isolation chroot \
    --user 1000:1000 "$@" --env PORT=0 --env SECURE_PORT=0 --env "INTERNAL_PORT=$port" \
    --env KEY_FILE=/run/secrets/keys.json --env INTERNAL_TOKEN_FILE=/run/secrets/internal-token \
    --env METRICS_TOKEN_FILE=/run/secrets/metrics-token --env TLS_CERT_FILE=/run/secrets/tls.pem \
    --env TLS_KEY_FILE=/run/secrets/tls-key.pem \
    "$container" -- sh -c 'echo "pid $$"; exec /app/apps/reference-server/docker/start.sh'
}
probe() {
  buildah run --isolation chroot --user 1000:1000 --env "INTERNAL_PORT=$port" "$container" -- \
    node /app/apps/reference-server/docker/probe.mjs 2>/dev/null
}

start_server >"$work/server.log" 2>&1 &
server=$!
tries=0
until probe; do
  tries=$((tries + 1))
  if [ $tries -ge 30 ] || ! kill -0 $server 2>/dev/null; then
    cat "$work/server.log"
    exit 1
  fi
  sleep 1
done
kill "$(sed -n 's/^pid //p' "$work/server.log")"
wait $server
server=
grep -q '"msg":"stopping"' "$work/server.log"
echo 'The image was built, its server answered its probe, and ended with exit code 0 when it was asked to.'
