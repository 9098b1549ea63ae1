// Recently opened addresses, stored in this browser only.

const NAME = "zarr-viewer.recent";
const MOST = 12;

/** Returns the addresses, newest first. Without storage there are none. */
export function recent(): string[] {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(NAME) ?? "[]");
    return Array.isArray(kept) ? kept.filter((one): one is string => typeof one === "string").slice(0, MOST) : [];
  } catch {
    return [];
  }
}

/** Stores an address, unless it has a query, which may be a signature. */
export function remember(address: string): void {
  if (address.includes("?")) return;
  try {
    localStorage.setItem(NAME, JSON.stringify([address, ...recent().filter((one) => one !== address)].slice(0, MOST)));
  } catch {
    // Without storage the list stays empty.
  }
}

/** Removes all addresses. */
export function forgetAll(): void {
  try {
    localStorage.removeItem(NAME);
  } catch {
    // Without storage there is nothing to remove.
  }
}
