/** What makes addresses of scripts trusted. */
export interface Policy {
  createScriptURL(url: string): string;
}

/** A policy can be made once. */
let policy: Policy | undefined;

/**
 * The policy of this name, which `trusted-types` may have to allow, after the platform refused to start a worker because it takes no text for a script's
 * address (Content-Security-Policy `require-trusted-types-for 'script'`, of a page or of a worker). Otherwise throws the refusal.
 */
export function policyAfter(name: string, refusal: unknown): Policy {
  const { trustedTypes } = globalThis as { trustedTypes?: { createPolicy(name: string, rules: Policy): Policy } };
  if (!trustedTypes || !(refusal instanceof TypeError)) throw refusal;
  policy ??= trustedTypes.createPolicy(name, { createScriptURL: (url) => url });
  return policy;
}

/** Starts a worker that the platform refused, by the policy of this name where that is why it did. */
export function trustedWorker(url: string, name: string, refusal: unknown): Worker {
  return new Worker(policyAfter(name, refusal).createScriptURL(url), { type: "module" });
}
