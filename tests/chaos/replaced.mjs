// Reads while the server replaces objects, by each kind of validator. With kind "none" versions are
// indistinguishable; all other kinds must return no mixed read. replacedreads.mjs makes the reads.
import { execFileSync } from "node:child_process";
import { serveBy, top } from "../lib/serve.mjs";
import { openPlace } from "./places.mjs";

export const count = 3000;
export const section = "versions";

const kinds = {
  strong: "a strong `ETag`",
  weak: "a weak `ETag`",
  modified: "`Last-Modified` only",
  size: "another size, and nothing else",
  hidden: "`ETag` and `Content-Range` hidden, `Last-Modified` not",
  none: "nothing: it cannot be detected",
};

/** Starts the server of tests/chaos/replaced. */
export function serveReplaced(seed = 1) {
  const program = `${top}build/serve-replaced`;
  execFileSync("go", ["build", "-o", program, "./tests/chaos/replaced/serve"], { cwd: top, stdio: "inherit" });
  return serveBy(program, String(seed));
}

export async function run({ engine, count, seed, kind: some = Object.keys(kinds), array, fail }) {
  const server = await serveReplaced(seed);
  const place = await openPlace(engine);
  await place.begin("replacedreads");
  const rows = [];
  let passed = 0;
  for (const kind of some) {
    const { messages, ...found } = await place.call("reads", { url: server.url, kind, count, seed, only: array });
    console.log(`${kind}: ${JSON.stringify(found)}`);
    const { reads, right, errors, mixed, wrong, again, failed } = found;
    if (wrong + failed > 0 || (mixed > 0 && kind !== "none")) fail(undefined, kind, messages);
    else passed += reads;
    rows.push({
      what: `: ${kinds[kind]}`,
      flags: ` --kind ${kind}`,
      values: {
        reads,
        right,
        "errors with a name": errors,
        mixed,
        wrong,
        "reads afterwards": again,
        "of these failed": failed,
      },
    });
  }
  await place.close();
  server.close();
  return { passed, rows };
}
