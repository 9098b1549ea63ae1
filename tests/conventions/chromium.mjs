// Runs the expectations of the conventions in Chromium.
//
//   node tests/conventions/chromium.mjs [PATTERN]    a regular expression of ids
import { runPage } from "../lib/runpage.mjs";

await runPage("tests/conventions/conventions.html", "conventions", process.argv[2]);
