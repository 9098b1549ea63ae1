// Reads of random selections from faulty servers; sequence.mjs makes and judges them.
import { serve } from "../lib/serve.mjs";
import { openPlace } from "./places.mjs";

export const count = 2000;

/** Requests to one origin wait for each other, so there are several. */
const origins = 6;
/** Browsers' console messages about failed requests. */
const network = /CORS|Cross-Origin|Failed to load resource|net::|access control checks|NetworkError/i;

export async function run({ engine, count, seed, only, minutes, fail }) {
  const servers = await Promise.all(Array.from({ length: origins }, () => serve(".", "-faults", "-dotfiles")));
  const place = await openPlace(engine, { tell: console.log, site: servers[0].url });
  await place.begin("sequence", { servers: servers.map(({ url }) => url), seed });
  if (only !== undefined) {
    const { summary, about, problems } = await place.call("one", only);
    for (const wrong of summary.log) console.log(JSON.stringify(wrong));
    console.log(JSON.stringify({ ...summary, log: undefined }));
    if (problems.length > 0) fail(only, about, problems);
    return { passed: problems.length > 0 ? 0 : 1 };
  }
  const { found, failures } = await place.call("many", count, { minutes });
  for (const { number, about, problems } of failures) fail(number, about, problems);
  const crashes = (place.tab?.errors ?? []).filter((error) => !network.test(error));
  if (crashes.length > 0) fail(undefined, "the page", crashes);
  const { errors, kinds, ...numbers } = found;
  for (const [what, counts] of Object.entries({ errors, faults: kinds, all: numbers })) {
    const sorted = Object.entries(counts).sort(([, a], [, b]) => b - a);
    console.log(`${what}: ${sorted.map(([name, n]) => `${name} ${n}`).join(", ")}`);
  }
  await place.close();
  const values = {
    selections: found.selections,
    requests: found.requests,
    faults: found.faults,
    "errors with a name": Object.values(errors).reduce((sum, n) => sum + n, 0),
    "read again": found.again,
    "wrong values": found["wrong values"],
    hangs: found.hangs,
    crashes: found.crashes + crashes.length,
    "clean re-reads failed": found["clean re-reads failed"],
    "untold faults": found.untold,
    "due to these": found.apart,
    "most ms": found.most,
  };
  return { passed: found.selections, rows: [{ values }] };
}
