/** How many characters of an address a message has at most. */
const longest = 2048;

/**
 * @internal An address as messages may show it: without its query and fragment, which may be a signature, and without user names
 * and passwords. It takes any text: an address that cannot be parsed may hold a password as well. internal/weburl is the
 * same for the engine.
 */
export function redact(address: string): string {
  let shown = "";
  let segment = 0; // where the last segment of what is shown begins
  let authority = false; // whether that follows two slashes
  let cut = false; // whether a user was removed from it: what follows up to another "@" is one, too
  for (let i = 0; i < address.length; i++) {
    const c = address[i] as string;
    if ("?#/\\".includes(c)) {
      const at = address.lastIndexOf("@");
      // No port. Where an "@" follows, it is the beginning of a password that has a slash, "?" or "#".
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

/** @internal Redacts the addresses in a message of others, as of a platform's fetch. */
export function scrub(message: string): string {
  // An address that was sent has none of these characters.
  return message.replace(/[^\0-\x20"<>`]*\/\/[^\0-\x20"<>`]*/g, redact);
}

/** @internal Whether the platform can send requests to an address. */
export function canParse(url: string): boolean {
  try {
    new URL(url);
    return true;
  } catch {
    return false;
  }
}
