#!/usr/bin/env bash
# Writes the pages of the npm package's API into build/docs, from the comments in js/. TypeDoc needs
# its own TypeScript, with an API that the project's lacks.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../../.."
./build.sh setup tools/docs
tests/tools/docs/node_modules/.bin/typedoc --options tests/tools/docs/typedoc.json >&2
