// Tests that addresses in messages contain no credentials or signatures.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { redact, scrub } from "../platform/redact.js";

const table = JSON.parse(readFileSync("internal/weburl/testdata/redacted.json", "utf8")) as [string, string][];

test("addresses are shown as the engine shows them", () => {
  assert.ok(table.length > 30);
  for (const [address, shown] of table) assert.equal(redact(address), shown, address);
});

test("redacting twice changes nothing", () => {
  for (const [address] of table) assert.equal(redact(redact(address)), redact(address), address);
});

test("addresses inside of a platform's message are redacted, and the words around them stay", () => {
  assert.equal(
    scrub('Request cannot be constructed from a URL that includes credentials: "https://u:p@h/a?sig=x" (GET)'),
    'Request cannot be constructed from a URL that includes credentials: "https://h/a" (GET)',
  );
});
