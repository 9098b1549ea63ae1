// Compares the robustness page with the records.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { page, pageText, tableOf } from "../chaos/report.mjs";

test("docs/reports/robustness.md is made of the records", () => {
  assert.equal(readFileSync(page, "utf8"), pageText(), "run: node tests/chaos/report.mjs");
});

test("a table of runs adds the runs of one kind", () => {
  const rows = [
    { what: "a", command: "x 1", values: { reads: 1000, "most ms": 7 } },
    { what: "b", command: "y", values: { reads: 5, other: "none" } },
    { what: "a", command: "x 2", values: { reads: 2000, "most ms": 3 } },
  ];
  assert.deepEqual(tableOf(rows).split("\n"), [
    "| what | reads | most ms | other | command |",
    "| --- | --: | --: | --: | --- |",
    "| a | 1,000 | 7 |  | `x 1` |",
    "| a | 2,000 | 3 |  | `x 2` |",
    "| **a, in all** | 3,000 | 7 |  |  |",
    "| b | 5 |  | none | `y` |",
  ]);
});
