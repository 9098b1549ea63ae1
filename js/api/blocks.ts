import type { WireArray, WireRange, WireSelector } from "../engine/protocol/wire.js";
import { InvalidSelectionError } from "../errors.js";
import { expanded, rangeOf } from "./expand.js";

type Cut = Pick<WireArray, "shape" | "chunks" | "shards" | "edges">;

/**
 * Returns the number of blocks along a dimension, and a function that returns each block's start.
 */
function cutsOf({ shape, chunks, shards, edges }: Cut, d: number): [count: number, start: (block: number) => number] {
  const [length, runs, size] = [shape[d] as number, edges?.[d], (shards ?? chunks)[d] as number];
  if (!runs) {
    const rest = length && length % size;
    return [length && (length - rest) / size + (rest && 1), (block) => block * size];
  }
  const start = (block: number) => {
    let [at, left] = [0, block];
    for (const [one, count] of runs) {
      const here = Math.min(left, count);
      [at, left] = [at + here * one, left - here];
    }
    return at;
  };
  return [runs.reduce((all, [, count]) => all + count, 0), start];
}

/**
 * Returns the selection of elements that a selection of blocks covers, as zarr-python's `blocks`. A
 * block is a chunk of the array's grid; in a sharded array it is a shard. An integer selects one
 * block and keeps its dimension.
 */
export function ofBlocks(selection: readonly WireSelector[] | null, array: Cut, path: string): WireRange[] {
  const wrong: (what: string) => never = (what) => {
    throw new InvalidSelectionError(`a selection of blocks: ${what}`, { path });
  };
  const { shape } = array;
  if ((selection ?? []).filter((one) => one === "...").length > 1) wrong('more than one "..."');
  const all = expanded(selection, shape.length);
  if (all.length !== shape.length) wrong(`${all.length} entries for ${shape.length} dimensions`);
  return all.map((one, d) => {
    const [blocks, startOf] = cutsOf(array, d);
    const is = one ?? { start: null, stop: null, step: null };
    let [first, count] = [0, 1];
    if (typeof is === "number") {
      first = is < 0 ? is + blocks : is;
      if (!(first >= 0 && first < blocks)) wrong(`there is no block ${is} of ${blocks} in dimension ${d}`);
    } else if ("start" in is) {
      [first, count] = rangeOf(is, blocks);
      if (is.step === 0 || (count > 1 && (is.step ?? 1) !== 1)) wrong(`a step that is not 1 in dimension ${d}`);
    } else {
      wrong(`neither an integer nor a range of step 1 in dimension ${d}`);
    }
    if (count === 0) return { start: 0, stop: 0, step: null };
    const end = first + count;
    return { start: startOf(first), stop: end < blocks ? startOf(end) : (shape[d] as number), step: null };
  });
}
