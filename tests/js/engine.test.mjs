// The engine in Node: in a worker thread with helpers, and in place.
import assert from "node:assert/strict";
import { after, describe, test } from "node:test";
import { Worker } from "node:worker_threads";
import * as zarr from "../../dist/node.js";
import { turns } from "../lib/rounds.mjs";
import { arrayInMemory, cases, checkValues, failures, helped } from "./engine-cases.mjs";

after(() => zarr.terminate());

async function start(options) {
  zarr.terminate();
  await zarr.init(options);
}

// The build that a message can crash.
const crashing = new URL("../../build/zarr-crash.wasm", import.meta.url);

describe("in a worker thread", () => {
  for (const [name, run] of Object.entries(cases)) {
    test(name, { timeout: 120_000 }, async () => {
      await start({ workers: 2 });
      await run(zarr, { helpers: true, shared: true });
    });
  }
  for (const [name, run] of Object.entries(failures)) {
    test(name, { timeout: 120_000 }, async () => {
      let last;
      await start({
        workers: 1,
        url: crashing,
        worker: () => {
          last = new Worker(new URL("../../dist/worker-node.js", import.meta.url));
          return last;
        },
      });
      await run(zarr, { helpers: true, shared: true }, (message) => last.postMessage(message));
    });
  }
  test("no message ends the published wasm, nor its helpers", { timeout: 120_000 }, async () => {
    for (const url of [undefined, new URL("../../dist/zarr-full.wasm", import.meta.url)]) {
      let last;
      await start({
        workers: 1,
        url,
        worker: () => {
          last = new Worker(new URL("../../dist/worker-node.js", import.meta.url));
          return last;
        },
      });
      const array = await zarr.open(await arrayInMemory(), { kind: "array" });
      await helped(zarr, array);
      const id = 1e9; // none of the connection's
      for (const how of [{}, { memory: true }, { trap: true }]) {
        last.postMessage({ op: "crash", id, why: "a test", helpers: true, ...how });
        const answer = new Promise((resolve, reject) => {
          const late = setTimeout(() => reject(new Error("the message is not answered")), 60_000);
          last.on("message", function look(message) {
            if (message.id !== id) return;
            clearTimeout(late);
            last.off("message", look);
            resolve(message);
          });
        });
        last.postMessage({ op: "crash", id, why: "a test", ...how });
        const { ok, error } = await answer;
        assert.equal(ok, false);
        assert.match(error.message, /unknown request "crash"/);
        checkValues(await array.get());
      }
      assert.equal((await zarr.memory()).helpers.length, 1);
    }
  });
  test("the process ends though the engine runs", { timeout: 60_000 }, async () => {
    const { spawnSync } = await import("node:child_process");
    const script = `
      import * as zarr from ${JSON.stringify(new URL("../../dist/node.js", import.meta.url).href)};
      import { arrayInMemory, checkValues } from ${JSON.stringify(new URL("./engine-cases.mjs", import.meta.url).href)};
      const array = await zarr.open(await arrayInMemory(), { kind: "array" });
      for (let i = 0; i < 5; i++) checkValues(await array.get());
      console.log("done");`;
    const { status, stdout, stderr } = spawnSync(process.execPath, ["--input-type=module", "-e", script], {
      encoding: "utf8",
      timeout: 50_000,
    });
    assert.equal(stdout, "done\n", stderr);
    assert.equal(status, 0);
  });
});

describe("in place", () => {
  for (const [name, run] of turns(Object.entries(cases), 2)) {
    test(name, { timeout: 120_000 }, async () => {
      await start({ workers: 0 });
      await run(zarr, { helpers: false, shared: true });
    });
  }
});
