// Runs the conformance cases in Node through dist/, over HTTP from tests/serve.
//
//   node tests/js/run-node.mjs [PATTERN]    a regular expression of ids
import * as zarr from "../../dist/node.js";
import { serve } from "../lib/serve.mjs";
import { run } from "./conformance.mjs";

const server = await serve("build/fixtures");
try {
  const manifest = await (await fetch(`${server.url}manifest.json`)).json();
  const containers = await (await fetch(`${server.url}public/containers.json`)).json();
  const result = await run({
    zarr,
    base: server.url,
    manifest,
    containers,
    only: process.argv[2] ? new RegExp(process.argv[2]) : undefined,
    onProgress: (done, total) => {
      if (done % 200 === 0 || done === total) console.log(`${done} of ${total}`);
    },
  });
  for (const message of result.messages) console.log(message);
  console.log(`${result.passed} passed, ${result.failed} failed, ${result.skipped} skipped`);
  process.exitCode = result.failed > 0 ? 1 : 0;
} finally {
  server.close();
  await zarr.terminate?.();
}
