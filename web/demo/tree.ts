// The contents of the store as an ARIA tree with one tab stop and arrow keys. A group is filled
// when it first opens.

import { el, fill, icon } from "./dom.js";

export interface TreeItem {
  path: string;
  name: string;
  kind: "group" | "array" | "unknown";
  /** A few words on the right: shape and type. */
  detail: string;
  /** The reason why the item cannot be opened, if known. */
  problem?: string | undefined;
}

export interface Children {
  items: TreeItem[];
  /** A note about the list, such as that it is incomplete. */
  note: string | null;
}

interface Branch {
  item: TreeItem;
  level: number;
  element: HTMLDivElement;
  row: HTMLElement;
  list: HTMLDivElement | null;
  parent: Branch | null;
  children: Branch[] | null;
  loading: Promise<void> | null;
  /** During a search: whether the branch was open before. */
  openBefore?: boolean | undefined;
}

/** The number of children shown at first. Others are added in steps on request. */
const PAGE = 400;
/** The largest number of groups that a search fills. */
const MOST_SEARCHED = 2000;

export class Tree {
  readonly #host: HTMLElement;
  readonly #load: (path: string) => Promise<Children>;
  readonly #select: (path: string) => void;
  #root: Branch | null = null;
  #selected: Branch | null = null;
  #focused: Branch | null = null;
  #typed = "";
  #typedAt = 0;
  #wanted = "";

  constructor(host: HTMLElement, load: (path: string) => Promise<Children>, select: (path: string) => void) {
    this.#host = host;
    this.#load = load;
    this.#select = select;
    host.addEventListener("keydown", (e) => this.#key(e));
  }

  /** Replaces the tree with one root. */
  setRoot(item: TreeItem): void {
    this.#selected = null;
    this.#root = this.#branch(item, 1, null, 1, 1);
    this.#focused = this.#root;
    this.#root.row.tabIndex = 0;
    fill(this.#host, this.#root.element);
  }

  clear(): void {
    this.#wanted = "";
    this.#root = null;
    this.#selected = null;
    this.#focused = null;
    fill(this.#host);
  }

  /** Opens the known branches on the way to a node, and marks it. */
  async reveal(path: string): Promise<void> {
    const root = this.#root;
    if (!root) return;
    let at: Branch = root;
    const base = root.item.path === "/" ? "" : root.item.path;
    if (path !== root.item.path && path.startsWith(`${base}/`)) {
      // Paths of image datasets may skip a level ("labels/cells"), so the longest matching child is
      // taken.
      for (;;) {
        if (at.item.kind === "array") break;
        await this.#open(at);
        if (this.#root !== root) return;
        const next = at.children
          ?.filter((c) => path === c.item.path || path.startsWith(`${c.item.path}/`))
          .sort((a, b) => b.item.path.length - a.item.path.length)[0];
        if (!next) break;
        at = next;
        if (at.item.path === path) break;
      }
    }
    this.#mark(at.item.path === path ? at : null);
    if (at.item.path === path) at.row.scrollIntoView({ block: "nearest" });
  }

  /**
   * Shows only names that contain the text, and their parents; an empty text shows all. First fills
   * groups for which `cheap` reports no request. Returns the number of matches.
   */
  async filter(text: string, cheap: (path: string) => Promise<boolean>): Promise<number> {
    const wanted = text.trim().toLowerCase();
    this.#wanted = wanted;
    const root = this.#root;
    if (!root) return 0;
    if (wanted !== "") await this.#fillBelow(root, cheap, { left: MOST_SEARCHED });
    // A later search replaced this one.
    if (this.#wanted !== wanted || this.#root !== root) return 0;
    let found = 0;
    const apply = (branch: Branch): boolean => {
      const at = wanted === "" ? -1 : branch.item.name.toLowerCase().indexOf(wanted);
      if (at >= 0) found++;
      const name = branch.row.querySelector<HTMLElement>(".tree-name");
      if (name) marked(name, branch.item.name, at, wanted.length);
      const below = (branch.children ?? []).map(apply).some((shown) => shown);
      if (branch.list) {
        if (wanted === "") {
          const open = branch.openBefore ?? branch.row.getAttribute("aria-expanded") === "true";
          branch.openBefore = undefined;
          branch.row.setAttribute("aria-expanded", String(open));
          branch.list.hidden = !open;
        } else {
          branch.openBefore ??= branch.row.getAttribute("aria-expanded") === "true";
          branch.row.setAttribute("aria-expanded", String(below));
          branch.list.hidden = !below;
        }
        for (const note of branch.list.querySelectorAll<HTMLElement>(":scope > .tree-note"))
          note.hidden = wanted !== "";
      }
      const shown = wanted === "" || at >= 0 || below || branch === root;
      branch.element.hidden = !shown;
      return shown && branch !== root;
    };
    apply(root);
    // Tab reaches a match: the item before may be hidden.
    const first = this.#first();
    if (first) this.#moveTabStop(first);
    return found;
  }

  /** Focuses the first match, or the item before without a search. */
  focusFirst(): void {
    const first = this.#first();
    if (first) this.#focus(first);
  }

  /** Returns the first match, or the item with the tab stop without a search. */
  #first(): Branch | null {
    const has = (branch: Branch): boolean => branch.item.name.toLowerCase().includes(this.#wanted);
    return this.#wanted === "" ? this.#focused : (this.#visible().find(has) ?? null);
  }

  /** Chooses the first match. */
  chooseFirst(): void {
    this.focusFirst();
    if (this.#focused && this.#wanted !== "") this.#choose(this.#focused);
  }

  async #fillBelow(branch: Branch, cheap: (path: string) => Promise<boolean>, budget: { left: number }): Promise<void> {
    if (branch.item.kind === "array" || budget.left-- <= 0) return;
    if (!branch.loading && (await cheap(branch.item.path))) {
      branch.loading = this.#fill(branch);
      await branch.loading;
      if (branch.list) branch.list.hidden = true;
    }
    for (const child of branch.children ?? []) await this.#fillBelow(child, cheap, budget);
  }

  /** Opens the root's first level. */
  async openRoot(): Promise<void> {
    if (this.#root && this.#root.item.kind !== "array") await this.#open(this.#root);
  }

  #branch(item: TreeItem, level: number, parent: Branch | null, position: number, size: number): Branch {
    const leaf = item.kind === "array";
    // Only the row is the tree item. An item that contained its children would have all their texts
    // in its name.
    const row = el(
      "div",
      {
        class: "tree-row",
        role: "treeitem",
        "aria-level": level,
        "aria-posinset": position,
        "aria-setsize": size,
        "aria-selected": "false",
        "aria-expanded": leaf ? null : "false",
        "data-path": item.path,
        "data-kind": item.kind,
        title: item.path,
      },
      el("span", { class: "twist", "aria-hidden": "true" }, leaf ? null : icon("twist")),
      icon(item.kind === "unknown" ? "unknown" : item.kind),
      el("span", { class: "tree-name" }, item.name),
      item.detail ? el("span", { class: "tree-detail" }, item.detail) : null,
      item.problem ? el("span", { class: "tree-problem", title: item.problem }, "damaged") : null,
    );
    const element = el("div", { role: "none" }, row);
    row.style.setProperty("--level", String(level - 1));
    const branch: Branch = { item, level, element, row, list: null, parent, children: null, loading: null };
    row.tabIndex = -1;
    row.addEventListener("click", (event) => {
      event.stopPropagation();
      this.#focus(branch);
      const twist = event.target instanceof Element && event.target.closest(".twist") !== null;
      if (!leaf && (twist || branch === this.#selected)) void this.#toggle(branch);
      if (!twist) this.#choose(branch);
    });
    return branch;
  }

  async #toggle(branch: Branch): Promise<void> {
    if (branch.row.getAttribute("aria-expanded") === "true") this.#close(branch);
    else await this.#open(branch);
  }

  #close(branch: Branch): void {
    branch.row.setAttribute("aria-expanded", "false");
    if (branch.list) branch.list.hidden = true;
  }

  async #open(branch: Branch): Promise<void> {
    branch.row.setAttribute("aria-expanded", "true");
    if (branch.list) branch.list.hidden = false;
    branch.loading ??= this.#fill(branch);
    await branch.loading;
  }

  async #fill(branch: Branch): Promise<void> {
    const list = el("div", { role: "none" });
    branch.list = list;
    branch.element.appendChild(list);
    const waiting = el("div", { role: "none", class: "tree-note" }, "Loading…");
    const timer = setTimeout(() => list.appendChild(waiting), 100);
    branch.row.setAttribute("aria-busy", "true");
    let children: Children;
    try {
      children = await this.#load(branch.item.path);
    } catch (error) {
      children = {
        items: [],
        note: `The contents could not be read: ${error instanceof Error ? error.message : String(error)}`,
      };
      // The next opening retries.
      branch.loading = null;
    } finally {
      clearTimeout(timer);
      waiting.remove();
      branch.row.removeAttribute("aria-busy");
    }
    branch.children = [];
    this.#grow(branch, list, children, 0);
    if (branch.loading === null) {
      list.remove();
      branch.list = null;
      branch.row.setAttribute("aria-expanded", "false");
    }
  }

  #grow(branch: Branch, list: HTMLDivElement, children: Children, from: number): void {
    const { items, note } = children;
    const to = Math.min(items.length, from + PAGE);
    const indent = (node: HTMLElement): HTMLElement => {
      node.style.setProperty("--level", String(branch.level));
      return node;
    };
    for (let i = from; i < to; i++) {
      const item = items[i];
      if (!item) continue;
      const child = this.#branch(item, branch.level + 1, branch, i + 1, items.length);
      branch.children?.push(child);
      list.appendChild(child.element);
    }
    if (to < items.length) {
      const more = el(
        "button",
        { type: "button", class: "link" },
        `Show ${Math.min(PAGE, items.length - to)} more of ${items.length}`,
      );
      const holder = indent(el("div", { role: "none", class: "tree-note" }, more));
      more.addEventListener("click", () => {
        holder.remove();
        this.#grow(branch, list, children, to);
      });
      list.appendChild(holder);
    } else if (note !== null || items.length === 0) {
      list.appendChild(indent(el("div", { role: "none", class: "tree-note" }, note ?? "Empty")));
    }
  }

  #choose(branch: Branch): void {
    this.#mark(branch);
    this.#select(branch.item.path);
    if (branch.item.kind !== "array") void this.#open(branch);
  }

  #mark(branch: Branch | null): void {
    this.#selected?.row.setAttribute("aria-selected", "false");
    this.#selected = branch;
    branch?.row.setAttribute("aria-selected", "true");
    if (branch) this.#moveTabStop(branch);
  }

  #moveTabStop(branch: Branch): void {
    if (this.#focused) this.#focused.row.tabIndex = -1;
    this.#focused = branch;
    branch.row.tabIndex = 0;
  }

  #focus(branch: Branch): void {
    this.#moveTabStop(branch);
    branch.row.focus({ preventScroll: true });
    branch.row.scrollIntoView({ block: "nearest" });
  }

  #visible(): Branch[] {
    const out: Branch[] = [];
    const walk = (branch: Branch): void => {
      if (branch.element.hidden) return;
      out.push(branch);
      if (branch.row.getAttribute("aria-expanded") === "true") branch.children?.forEach(walk);
    };
    if (this.#root) walk(this.#root);
    return out;
  }

  #key(event: KeyboardEvent): void {
    const at = this.#focused;
    // Buttons inside the tree handle their own keys.
    if (!at || event.ctrlKey || event.metaKey || event.altKey || event.target instanceof HTMLButtonElement) return;
    const visible = this.#visible();
    const index = visible.indexOf(at);
    const expanded = at.row.getAttribute("aria-expanded");
    const go = (branch: Branch | null | undefined): void => {
      if (branch) this.#focus(branch);
    };
    switch (event.key) {
      case "ArrowDown":
        go(visible[index + 1]);
        break;
      case "ArrowUp":
        go(visible[index - 1]);
        break;
      case "Home":
        go(visible[0]);
        break;
      case "End":
        go(visible[visible.length - 1]);
        break;
      case "ArrowRight":
        if (expanded === "false") void this.#open(at);
        else if (expanded === "true") go(at.children?.[0]);
        break;
      case "ArrowLeft":
        if (expanded === "true") this.#close(at);
        else go(at.parent);
        break;
      case "Enter":
      case " ":
        this.#choose(at);
        break;
      case "*":
        for (const sibling of at.parent?.children ?? [at]) if (sibling.item.kind !== "array") void this.#open(sibling);
        break;
      default:
        if (event.key.length !== 1) return;
        this.#typeAhead(event.key, visible, index);
    }
    event.preventDefault();
  }

  #typeAhead(key: string, visible: Branch[], index: number): void {
    const now = performance.now();
    this.#typed = now - this.#typedAt > 700 ? key : this.#typed + key;
    this.#typedAt = now;
    const wanted = this.#typed.toLowerCase();
    const from = wanted.length === 1 ? index + 1 : index;
    const order = [...visible.slice(from), ...visible.slice(0, from)];
    const found = order.find((b) => b.item.name.toLowerCase().startsWith(wanted));
    if (found) this.#focus(found);
  }
}

/** Writes a name with the matching part marked. */
function marked(host: HTMLElement, name: string, at: number, length: number): void {
  if (at < 0) fill(host, name);
  else fill(host, name.slice(0, at), el("mark", {}, name.slice(at, at + length)), name.slice(at + length));
}
