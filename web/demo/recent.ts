// Addresses that were opened, kept in this browser only.

const NAME = "zarr-viewer.recent";
const MOST = 12;

/** The addresses, the newest first. Where the browser keeps nothing, there are none. */
export function recent(): string[] {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(NAME) ?? "[]");
    return Array.isArray(kept) ? kept.filter((one): one is string => typeof one === "string").slice(0, MOST) : [];
  } catch {
    return [];
  }
}

/** Keeps an address. One with a query may be signed, and is not kept. */
export function remember(address: string): void {
  if (address.includes("?")) return;
  try {
    localStorage.setItem(NAME, JSON.stringify([address, ...recent().filter((one) => one !== address)].slice(0, MOST)));
  } catch {
    // Without storage the list stays empty.
  }
}

/** Forgets them. */
export function forgetAll(): void {
  try {
    localStorage.removeItem(NAME);
  } catch {
    // There is nothing then.
  }
}
