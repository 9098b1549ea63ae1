/** The maximum number of an address's characters in a message. */
const longest = 2048;

/**
 * @internal Returns an address in a form that messages may show: without query and fragment, which
 * may contain a signature, and without user names and passwords. It takes any text, because an
 * invalid address may contain a password too. internal/weburl does the same for the engine.
 */
export function redact(address: string): string {
  let shown = "";
  let segment = 0; // The start of the last segment of `shown`.
  let authority = false; // Whether the segment follows two slashes.
  // Whether a user was removed from the segment. Text up to another "@" is then one, too.
  let cut = false;
  for (let i = 0; i < address.length; i++) {
    const c = address[i] as string;
    if ("?#/\\".includes(c)) {
      const at = address.lastIndexOf("@");
      // This is not a port. If an "@" follows, it begins a password that contains a slash, "?" or
      // "#".
      if (authority && at > i && /^(?!\[)[^:]*:.*\D/s.test(shown.slice(segment))) {
        shown = shown.slice(0, segment);
        i = at;
        continue;
      }
      if (c === "?" || c === "#") return shown;
      authority = segment === shown.length && i > 0;
      cut = false;
      segment = shown.length + 1;
    } else if (
      c === "@" &&
      (authority || cut || (shown.includes(":", segment) && !/\||%7C/.test(shown.slice(segment))))
    ) {
      cut = true;
      // After "|" a colon ends the name of an adapter, as in "a|icechunk:@branch.main".
      shown = shown.slice(0, segment);
      continue;
    }
    shown += c;
    if (shown.length > longest) return `${shown.slice(0, longest)}...`;
  }
  return shown;
}

/** @internal Redacts the addresses in a message of other code, such as a platform's fetch. */
export function scrub(message: string): string {
  // An address that was sent contains none of these characters.
  return message.replace(/[^\0-\x20"<>`]*\/\/[^\0-\x20"<>`]*/g, redact);
}

/** @internal Reports whether the platform can parse an address. */
export function canParse(url: string): boolean {
  try {
    new URL(url);
    return true;
  } catch {
    return false;
  }
}
