// Runs tests/tools/audit.sh offline: a database that does not answer is not a success.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { test } from "node:test";
import { top } from "../lib/serve.mjs";

const nowhere = "http://127.0.0.1:1";
const unreachable = { HTTPS_PROXY: nowhere, HTTP_PROXY: nowhere, NO_PROXY: "", npm_config_fetch_retries: "0" };

for (const [args, status] of [
  [[], 1],
  [["--offline"], 0],
  [["--ofline"], 2],
]) {
  test(`audit ${args} ends with ${status} where no database can be reached`, () => {
    const lower = Object.fromEntries(Object.entries(unreachable).map(([name, value]) => [name.toLowerCase(), value]));
    const said = spawnSync("tests/tools/audit.sh", args, {
      cwd: top,
      encoding: "utf8",
      env: { ...process.env, ...unreachable, ...lower },
    });
    assert.equal(said.status, status, said.stderr);
    assert.match(said.stderr, args[0] === "--ofline" ? /no option --ofline/ : /could not be (reached|installed)/);
  });
}
