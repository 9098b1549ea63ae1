#!/usr/bin/env bash
# Writes the pages of the npm package's API into build/docs, from the comments in js/. TypeDoc needs a TypeScript of its own,
# with an API that the project's does not have.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../../.."
./build.sh setup tools/docs
tests/tools/docs/node_modules/.bin/typedoc --options tests/tools/docs/typedoc.json >&2
