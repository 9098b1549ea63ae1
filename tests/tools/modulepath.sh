#!/usr/bin/env bash
# modulepath.sh PATH: gives the Go module that path, in go.mod and in all that imports it.
set -euo pipefail
(($# == 1)) || { echo "usage: tests/tools/modulepath.sh PATH" >&2; exit 2; }
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
OLD=$(go list -m) NEW=$1
export OLD NEW
go mod edit -module "$NEW"
# Imports and names of packages in strings, links in comments, and what tests/arch calls the module.
git ls-files -z '*.go' | xargs -0 perl -pi -e 's{(["[])\Q$ENV{OLD}\E/}{$1$ENV{NEW}/}g; s{^(const module = )"\Q$ENV{OLD}\E"$}{$1"$ENV{NEW}"}'
git ls-files -z '*.go' | xargs -0 gofmt -w
go vet ./...
