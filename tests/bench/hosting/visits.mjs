// Simulates many readers' visits through an edge cache, from the requests of one visit to each
// slice.
import { random } from "../../lib/random.mjs";

/** A cache with a budget in bytes that evicts the least recently used. */
class Edge {
  #kept = new Map();
  #bytes = 0;
  constructor(budget) {
    this.budget = budget;
  }
  /** Reports whether it has the object, and caches it. */
  has(key, bytes) {
    const there = this.#kept.delete(key);
    if (bytes > this.budget) return false;
    this.#kept.set(key, bytes);
    if (there) return true;
    this.#bytes += bytes;
    for (const [old, size] of this.#kept) {
      if (this.#bytes <= this.budget) break;
      this.#kept.delete(old);
      this.#bytes -= size;
    }
    return false;
  }
}

/**
 * The caching policies of edges. A request { object, from, to, size } maps to the parts that an
 * edge looks up, and requests from the origin.
 */
export const edges = {
  // As Amazon's and Cloudflare's do: the first range brings the whole object.
  "whole objects": ({ object, size }) => [{ key: object, bytes: size }],
  // Like nginx's slice module.
  "slices of 1 MiB": (request) => slices(request, 2 ** 20),
  // Like caches that keep an answer under its request.
  "answers by range": ({ object, from, to }) => [{ key: `${object} ${from}-${to}`, bytes: to - from }],
};

function slices({ object, from, to, size }, length) {
  const out = [];
  for (let at = from - (from % length); at < to; at += length)
    out.push({ key: `${object} ${at}`, bytes: Math.min(length, size - at) });
  return out;
}

/** Widens ranges to multiples of a block, and joins adjacent ones, as an aligning reader would. */
export function aligned(requests, block) {
  const byObject = new Map();
  for (const request of requests) {
    const wide = { ...request, from: request.from - (request.from % block) };
    wide.to = Math.min(request.size, Math.ceil(request.to / block) * block);
    const list = byObject.get(request.object) ?? [];
    list.push(wide);
    byObject.set(request.object, list);
  }
  const out = [];
  for (const list of byObject.values()) {
    list.sort((a, b) => a.from - b.from);
    let last;
    for (const one of list)
      if (last && one.from <= last.to) last.to = Math.max(last.to, one.to);
      else {
        last = { ...one };
        out.push(last);
      }
  }
  return out;
}

/** Draws from n things by Zipf's law: the k-th most popular comes 1/k as often as the first. */
export function zipf(n, next) {
  const sums = [];
  let sum = 0;
  for (let k = 1; k <= n; k++) {
    sum += 1 / k;
    sums.push(sum);
  }
  return () => {
    const at = next() * sum;
    let [low, high] = [0, n - 1];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (sums[middle] < at) low = middle + 1;
      else high = middle;
    }
    return low;
  };
}

/** The numbers below n in random order. */
function shuffled(n, next) {
  const list = Array.from({ length: n }, (_, i) => i);
  for (let i = n - 1; i > 0; i--) {
    const j = Math.floor(next() * (i + 1));
    [list[i], list[j]] = [list[j], list[i]];
  }
  return list;
}

/**
 * Simulates visitors with empty caches to variables of the same layout.
 * @param {object[][]} slices the requests of a visit to each slice of a variable
 * @param {number} variables the number of variables
 * @param {number} visits the number of visits
 * @param {(request: object) => {key: string, bytes: number}[]} keeps one of `edges`
 * @param {number} budget the edge's capacity in bytes
 * @returns the traffic to the edge and to the origin
 */
export function visit(slices, variables, visits, keeps, budget, seed = 1) {
  const { next } = random(seed);
  const [order, draw] = [shuffled(slices.length * variables, next), zipf(slices.length * variables, next)];
  const edge = new Edge(budget);
  const asked = slices.map((requests) =>
    requests.map((request) => ({ bytes: request.to - request.from, parts: keeps(request) })),
  );
  const total = { requests: 0, bytes: 0, originRequests: 0, originBytes: 0 };
  for (let i = 0; i < visits; i++) {
    const which = order[draw()];
    const variable = Math.floor(which / slices.length);
    for (const request of asked[which % slices.length]) {
      total.requests++;
      total.bytes += request.bytes;
      for (const { key, bytes } of request.parts) {
        if (edge.has(`${variable} ${key}`, bytes)) continue;
        total.originRequests++;
        total.originBytes += bytes;
      }
    }
  }
  return total;
}
