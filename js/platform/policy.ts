import { macrotask } from "./macrotask.js";

/** The addresses that the page's Content-Security-Policy refused, with the directive. */
const refused = new Map<string, string>();
let listening = false;

/**
 * Starts to record refusals by the page's policy. To the caller of fetch they look like an
 * unreachable server.
 */
export function watchPolicy(): void {
  // Firefox has these events in workers, but not their class. Node has neither.
  if (listening || typeof addEventListener !== "function") return;
  listening = true;
  addEventListener("securitypolicyviolation", ({ disposition, blockedURI, effectiveDirective }) => {
    if (disposition !== "enforce") return;
    if (refused.size > 100) refused.clear();
    refused.set(blockedURI, effectiveDirective);
  });
}

/** Returns the reason if the page's policy refused a failed request; undefined otherwise. */
export async function refusalOf(url: string): Promise<string | undefined> {
  if (!listening) return undefined;
  await macrotask(); // the event comes after the failure
  const { origin } = new URL(url);
  const directive = refused.get(url) ?? refused.get(origin);
  return directive && `the page's Content-Security-Policy does not allow it: ${directive} must name ${origin}`;
}

/**
 * Returns advice for an error message by which the page's policy forbids WebAssembly. Browsers
 * check the policy when they compile the wasm, or when they start it.
 */
export function wasmHint(message: string): string | undefined {
  const refused = /content security policy|\bCSP\b|unsafe-eval|disallowed by embedder/i.test(message);
  return refused ? "the page's Content-Security-Policy needs script-src 'wasm-unsafe-eval'" : undefined;
}
