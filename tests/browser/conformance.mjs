// Runs the conformance cases in Chromium, or in the browser that ENGINE names.
//
//   node tests/browser/conformance.mjs [PATTERN]    a regular expression of ids
import { runPage } from "../lib/runpage.mjs";

await runPage("tests/browser/conformance.html", "conformance", process.argv[2]);
