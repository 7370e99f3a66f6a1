#!/usr/bin/env bash
# The built program under newer Nodes: 20 is the oldest that is promised, not the only one. npm ships Node itself, a package
# for every system, so that the registry is all that must be reachable; the package runs no script. Ends with the number of
# Nodes under which something failed as its status.
set -uo pipefail
cd "$(dirname "$0")/.."

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
package="node-$(node -p 'process.platform + "-" + process.arch')"
failed=0
for version in 22 24 26; do
  npm install --prefix "$folder" --no-audit --no-fund --no-save --ignore-scripts --silent "$package@$version" &&
    "$folder/node_modules/$package/bin/node" test/smoke/smoke.mjs || {
    echo "failed: the smoke test under Node $version"
    failed=$((failed + 1))
  }
done
exit "$failed"
