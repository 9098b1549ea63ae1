import { fileURLToPath } from "node:url";

const bin = (name) => fileURLToPath(new URL(`../node_modules/.bin/${name}`, import.meta.url));

const cli = `import { helpers, read } from "./app.js";
const result = await read(process.argv[2]);
console.log(JSON.stringify({ ...result, helpers: await helpers() }));
process.exit(0);`;

const thread = `import { Worker, isMainThread, parentPort, workerData } from "node:worker_threads";
import { fileURLToPath } from "node:url";
if (isMainThread) {
  const worker = new Worker(fileURLToPath(import.meta.url), { workerData: process.argv[2] });
  worker.once("message", (result) => { console.log(JSON.stringify(result)); process.exit(0); });
} else {
  const { helpers, read } = await import("./app.js");
  const result = await read(workerData);
  parentPort.postMessage({ ...result, helpers: await helpers() });
}`;

export default [
  {
    title: `Node ${process.versions.node.split(".")[0]}`,
    needs: "nothing",
    files: { "cli.mjs": cli },
    command: (dir, data) => [process.execPath, `${dir}/cli.mjs`, data],
  },
  {
    title: "Node worker_threads",
    needs: "nothing",
    files: { "thread.mjs": thread },
    command: (dir, data) => [process.execPath, `${dir}/thread.mjs`, data],
  },
  {
    title: "Deno 2",
    needs:
      'nothing, with `from "npm:zarr-wasm"` or a node_modules folder; permissions for the network and to read the package',
    files: { "cli.mjs": cli.replaceAll("process.", "globalThis.process.") },
    command: (dir, data) => [
      bin("deno"),
      "run",
      "--allow-net",
      "--allow-read",
      "--allow-env",
      "--no-lock",
      `${dir}/cli.mjs`,
      data,
    ],
  },
  {
    title: "Bun 1",
    needs: "nothing",
    files: { "cli.mjs": cli },
    command: (dir, data) => [bin("bun"), "run", `${dir}/cli.mjs`, data],
  },
];
