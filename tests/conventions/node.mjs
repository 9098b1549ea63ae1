// Runs the expectations of the conventions in Node through dist/, over HTTP from tests/serve.
//
//   node tests/conventions/node.mjs [PATTERN]    a regular expression of ids
import * as anndata from "../../dist/anndata.js";
import * as geo from "../../dist/geo.js";
import * as model from "../../dist/model.js";
import * as zarr from "../../dist/node.js";
import * as ome from "../../dist/ome.js";
import * as print from "../../dist/print.js";
import * as xarray from "../../dist/xarray.js";
import { serve } from "../lib/serve.mjs";
import { run } from "./run.mjs";

const server = await serve("build/fixtures");
try {
  const result = await run({
    packages: { zarr, xarray, ome, geo, anndata, model, print },
    base: server.url,
    only: process.argv[2] ? new RegExp(process.argv[2]) : undefined,
    onProgress: (done, total) => {
      if (done % 500 === 0 || done === total) console.log(`${done} of ${total}`);
    },
  });
  for (const message of result.messages) console.log(message);
  console.log(`${result.passed} passed, ${result.failed} failed, ${result.skipped} skipped`);
  process.exitCode = result.failed > 0 ? 1 : 0;
} finally {
  server.close();
  xarray.terminate?.();
  await zarr.terminate?.();
}
