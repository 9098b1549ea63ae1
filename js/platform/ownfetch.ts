/**
 * Matches the source text of a platform's own fetch: of browsers, Bun and workers at the edge; of
 * Node; of Deno. A bound function and a Proxy have native code and no name.
 */
const own = /^function fetch\(\) \{\s+\[native code\]\s+\}$|\("?'?internal\/deps\/undici|\bwebidl\.requiredArguments\(/;

/**
 * Reports whether a function is the platform's fetch, and not a replacement such as a mock or a
 * tracer.
 */
export function isPlatformFetch(fetch: unknown): boolean {
  return typeof fetch === "function" && own.test(Function.prototype.toString.call(fetch));
}
