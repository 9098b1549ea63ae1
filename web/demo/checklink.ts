// Links to the page that checks a host.

import { redact } from "../../js/platform/redact.js";

/**
 * Makes a link open the check of an address. A copied link has no query, which may be a signature.
 * A followed link passes the whole address to the page.
 */
export function checkLink(link: HTMLAnchorElement, address: string): HTMLAnchorElement {
  const of = (text: string): string =>
    text === "" ? "./hostcheck.html" : `./hostcheck.html#url=${encodeURIComponent(text)}`;
  link.href = of(redact(address));
  link.onclick = (event) => {
    if (address === redact(address) || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    location.assign(of(address));
  };
  return link;
}
