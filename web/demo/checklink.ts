// The link to the page that checks a host.

import { redact } from "../../js/platform/redact.js";

/**
 * Makes a link lead to the check of an address. Copied, the link has no query, which may be a signature; followed, the page that
 * checks gets the whole address.
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
