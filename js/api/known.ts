import type { WireNode } from "../engine/protocol/wire.js";
import type { Readable } from "../stores/readable.js";
import type { AbsolutePath } from "./location.js";
import { call, wirePath } from "./node.js";

// Pages open all variables of a dataset at once. Consolidated metadata describe them, so that one
// message opens them without requests. A message for each would take longer than its work.

/** The nodes of one message. More of them would occupy the engine for longer than a frame. */
const most = 256;

/** The opens of one turn of the event loop. */
interface Turn {
  paths: string[];
  nodes: Promise<(WireNode | null)[]>;
}

/** The present turns of stores with consolidated metadata; undefined between turns. */
const turns = /* @__PURE__ */ new WeakMap<Readable, Turn | undefined>();

/** @internal Notes that consolidated metadata of a store may describe nodes. */
export function noteConsolidated(store: Readable): void {
  if (!turns.has(store)) turns.set(store, undefined);
}

/**
 * @internal Opens a node together with others of this turn. Resolves with undefined if the node has
 * to be opened by a call of its own: it is the only one, not described, or invalid.
 */
export async function openKnown(store: Readable, path: AbsolutePath): Promise<WireNode | undefined> {
  if (!turns.has(store)) return;
  let turn = turns.get(store);
  if (!turn || turn.paths.length === most) {
    const paths: string[] = [];
    const nodes = Promise.resolve().then(() => {
      if (turns.get(store)?.paths === paths) turns.set(store, undefined);
      return paths.length > 1 ? call(store, { op: "known", paths }, {}) : [];
    });
    turn = { paths, nodes };
    turns.set(store, turn);
  }
  const index = turn.paths.push(wirePath(path)) - 1;
  // The call of its own has the error.
  const nodes = await turn.nodes.catch(() => []);
  return nodes[index] ?? undefined;
}
