// Runs the engine's cases in a dedicated worker or a service worker, as the script's address says.
import * as modular from "../../dist/index.js";
import * as inline from "../../dist/inline.js";
import { cases, run } from "../js/engine-cases.mjs";

// Service workers may not import dynamically.
const zarr = "ServiceWorkerGlobalScope" in self ? inline : modular;

self.addEventListener("message", (event) => {
  const { place, init } = event.data;
  const answer = async () => {
    if (init) await zarr.init(init);
    const results = await run(cases, zarr, place);
    const report = { results, helpers: (await zarr.memory()).helpers.length };
    (event.ports[0] ?? self).postMessage(report);
  };
  const answered = answer();
  event.waitUntil?.(answered);
});
