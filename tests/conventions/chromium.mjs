// Runs expectations of the conventions in Chromium. A run takes a third of them by the date,
// because the stage conventions_node runs the same code. With FULL=1 or a pattern it takes all.
//
//   node tests/conventions/chromium.mjs [PATTERN]    a regular expression of ids
import { turns } from "../lib/rounds.mjs";
import { runPage } from "../lib/runpage.mjs";

const only = process.argv[2];
const thirds = [0, 1, 2];
const taken = only ? thirds : turns(thirds, 3);
await runPage("tests/conventions/conventions.html", "conventions", only, taken);
