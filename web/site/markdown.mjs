// The Markdown of the documents: anchors as GitHub gives them, and links to other pages.
import { posix } from "node:path";

/** The anchor that GitHub gives a heading. A page's second heading of one anchor adds `-1`. */
export const anchorOf = (heading) =>
  heading
    .replace(/\[([^\]]*)\]\([^)]*\)/g, "$1")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}_ -]/gu, "")
    .replaceAll(" ", "-");

/** Replaces the targets of a page's links and pictures. A label may continue on the next line. */
export const withTargets = (text, replace) =>
  // Every second part is a block of code.
  text
    .split(/(^```[\s\S]*?^```$)/m)
    .map((part, i) =>
      i % 2 === 1 ? part : part.replace(/(!?\[[^\]]*\]\()([^)\s]+)/g, (_, label, to) => label + replace(to)),
    )
    .join("");

/**
 * The pages of the site: paths in the repository, by the path on the site. A folder's README is
 * its index.
 */
export function sitePages(files) {
  const pages = new Map();
  for (const file of files) {
    if (/^docs\/.*\.md$/.test(file)) pages.set(file.replace(/^docs\//, "").replace(/README\.md$/, "index.md"), file);
    if (file === "CHANGELOG.md") pages.set("changes.md", file);
    if (file === "examples/README.md") pages.set("examples.md", file);
  }
  return pages;
}

/**
 * The target of a link on the site: another page of the site, or a picture beside it. Other targets
 * are files of the repository at `home`.
 */
export function targetOnSite(to, { file, page, pages, home }) {
  if (/^([a-z]+:|#)/.test(to)) return to;
  const [path, anchor] = to.split("#");
  const target = posix.normalize(posix.join(posix.dirname(file), path)).replace(/\/$/, "");
  const hash = anchor === undefined ? "" : `#${anchor}`;
  const there = [...pages].find(([, source]) => source === target)?.[0];
  if (there !== undefined) return posix.relative(posix.dirname(page), there) + hash;
  if (/\.(png|svg)$/.test(target) && target.startsWith("docs/"))
    return posix.relative(posix.dirname(page), target.slice("docs/".length)).replace(/^(?!\.)/, "./");
  return `${home}/blob/main/${target}${hash}`;
}
