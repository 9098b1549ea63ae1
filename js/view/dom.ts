// Helpers that build the page's elements. Text becomes text nodes only, so that no text of a store
// becomes markup.

export type Child = Node | string | null | undefined | false;

type AttributeValue = string | number | boolean | null | undefined;
type Properties = Record<string, AttributeValue | ((event: Event) => void)>;

/**
 * Makes an element. Functions under "on…" become listeners, and `true` becomes an empty attribute.
 * False, null and undefined are left out.
 */
export function el<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  properties: Properties = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (typeof value === "function") {
      node.addEventListener(name.slice(2), value);
    } else if (value !== false && value !== null && value !== undefined) {
      node.setAttribute(name, value === true ? "" : String(value));
    }
  }
  append(node, ...children);
  return node;
}

/** Appends children, except false, null and undefined ones. */
export function append(parent: Node, ...children: Child[]): void {
  for (const child of children) {
    if (child === null || child === undefined || child === false) continue;
    parent.appendChild(typeof child === "string" ? document.createTextNode(child) : child);
  }
}

/** Replaces all children of parent. */
export function fill(parent: Node, ...children: Child[]): void {
  while (parent.firstChild) parent.removeChild(parent.firstChild);
  append(parent, ...children);
}

const sheets = new Map<string, CSSStyleSheet>();

/**
 * Adds a style sheet to the root of a node, once per root. All elements of a page share the sheet.
 * A constructed sheet needs no inline styles, which a page's policy may forbid.
 */
export function adoptStyles(node: Node, css: string): void {
  const root = node.getRootNode();
  if (!(root instanceof ShadowRoot || root instanceof Document)) return;
  let sheet = sheets.get(css);
  if (!sheet) {
    sheet = new CSSStyleSheet();
    sheet.replaceSync(css);
    sheets.set(css, sheet);
  }
  if (!root.adoptedStyleSheets.includes(sheet)) root.adoptedStyleSheets.push(sheet);
}

/** Copies text, and shows on the button for a moment whether it worked. */
export async function copyText(text: string, button: HTMLButtonElement): Promise<void> {
  const label = button.querySelector("span") ?? button;
  const before = label.textContent ?? "";
  let after = "Copied";
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    // Without the clipboard permission (plain http, an embedded frame) a selected text area still
    // copies.
    const area = el("textarea", { class: "visually-hidden", "aria-hidden": "true" });
    area.value = text;
    document.body.appendChild(area);
    area.select();
    if (!document.execCommand("copy")) after = "Not copied";
    area.remove();
  }
  label.textContent = after;
  setTimeout(() => {
    if (label.textContent === after) label.textContent = before;
  }, 1500);
}
