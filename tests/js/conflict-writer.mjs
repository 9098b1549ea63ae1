// One of several programs that concurrently change the same objects over HTTP: elements of one
// chunk, attributes, and the length of an array.
//
//   node tests/js/conflict-writer.mjs URL NUMBER ROUNDS
import * as zarr from "../../dist/node.js";
import { append, set, updateAttributes } from "../../dist/write-node.js";

const [url, number, rounds] = process.argv.slice(2);
const which = Number(number);
const array = await zarr.open(new zarr.FetchStore(`${url}/a`), { kind: "array" });
// the writing engine has the node by now; documents must not have changed before it takes over
await set(array, [which], 1 + which);
let log = await zarr.open(new zarr.FetchStore(`${url}/log`), { kind: "array" });
for (let round = 0; round < Number(rounds); round++) {
  await set(array, [2 * round + which], 1 + which);
  if (round % 20 === 0) {
    log = await updateAttributes(log, { [`${which} ${round}`]: round });
    log = await append(log, Uint16Array.of(1000 * (1 + which) + round));
  }
}
zarr.terminate();
