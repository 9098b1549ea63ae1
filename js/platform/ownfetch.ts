/**
 * The code of a platform's own fetch, as text: of browsers, of Bun and of workers at the edge; of Node; of Deno. A bound
 * function and a Proxy have native code and no name.
 */
const own = /^function fetch\(\) \{\s+\[native code\]\s+\}$|\("?'?internal\/deps\/undici|\bwebidl\.requiredArguments\(/;

/** Reports whether a function is the platform's fetch, and not one that stands in its place: a mock, or one that traces. */
export function isPlatformFetch(fetch: unknown): boolean {
  return typeof fetch === "function" && own.test(Function.prototype.toString.call(fetch));
}
