import { macrotask } from "./macrotask.js";

/** What the page's Content-Security-Policy has refused, with the directive that did. */
const refused = new Map<string, string>();
let listening = false;

/** Takes note of what the page's policy refuses from now on: to the caller of fetch it looks like a server that is down. */
export function watchPolicy(): void {
  // Firefox has these events in workers, and no class of them. Node has neither.
  if (listening || typeof addEventListener !== "function") return;
  listening = true;
  addEventListener("securitypolicyviolation", ({ disposition, blockedURI, effectiveDirective }) => {
    if (disposition !== "enforce") return;
    if (refused.size > 100) refused.clear();
    refused.set(blockedURI, effectiveDirective);
  });
}

/** Why a request that failed was refused by the page's policy; undefined when it was not. */
export async function refusalOf(url: string): Promise<string | undefined> {
  if (!listening) return undefined;
  await macrotask(); // the event comes after the failure
  const { origin } = new URL(url);
  const directive = refused.get(url) ?? refused.get(origin);
  return directive && `the page's Content-Security-Policy does not allow it: ${directive} has to name ${origin}`;
}

/** What to do where a message says that the page's policy allows no WebAssembly: engines have it refused when it is compiled, or when it is started. */
export function wasmHint(message: string): string | undefined {
  const refused = /content security policy|\bCSP\b|unsafe-eval|disallowed by embedder/i.test(message);
  return refused ? "the page's Content-Security-Policy needs script-src 'wasm-unsafe-eval'" : undefined;
}
