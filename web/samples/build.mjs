// Generates the samples of the viewer from formulas. The bytes are the same each time:
//
//   node web/samples/build.mjs [DIR]   into build/samples/{earth,cells,table}.zarr
//
// The folder dist/ must exist, because it provides the coastlines.
import { join, resolve } from "node:path";
import { cells } from "./cells.mjs";
import { earth } from "./earth.mjs";
import { table } from "./table.mjs";

const out = resolve(process.argv[2] ?? join(import.meta.dirname, "../../build/samples"));
for (const [name, make] of Object.entries({ earth, cells, table })) await make(join(out, `${name}.zarr`));
