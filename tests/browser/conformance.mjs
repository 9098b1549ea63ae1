// Runs the conformance cases in Chromium.
//
//   node tests/browser/conformance.mjs [PATTERN]    a regular expression of ids
import { runPage } from "./runpage.mjs";

await runPage("tests/browser/conformance.html", "conformance", process.argv[2]);
