#!/bin/sh
# Builds the gateway, the worker and trunklinectl, each with what it needs to run and nothing else: build-trees.sh <new directory>
set -eu
out=$1
cd "$(dirname "$0")/../.."
version=$(node -p 'require("./package.json").pnpmVersion')
pnpm() { CI=1 npx -y "pnpm@$version" "$@"; }

pnpm install --frozen-lockfile
node infra/local/bootstrap/build.mjs
for app in gateway vcs-worker trunklinectl; do
  # The setting has packages of the workspace copied; versions are those of the lock file.
  pnpm --config.inject-workspace-packages=true --filter "@trunkline/$app" --prod deploy "$out/$app"
  # Optional peers of libraries, of which nothing is loaded.
  rm -rf "$out/$app"/node_modules/.pnpm/typescript@* "$out/$app"/node_modules/.pnpm/@typescript+*
done
