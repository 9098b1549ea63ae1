// The help of the element: a list of its keys. This module is loaded when help opens.
import { Dialog } from "../controls/dialog.js";
import { textButton } from "../controls/parts.js";
import { el, fill } from "../dom.js";
import { keys } from "./keys.js";

export { keys } from "./keys.js";

/** Shows the keys over a view. Closing restores the focus. */
export function openHelp(root: ShadowRoot): void {
  if (root.querySelector("dialog[open]")) return;
  const before = root.activeElement;
  const dialog = new Dialog(root, "Keyboard shortcuts", () => {
    if (before instanceof HTMLElement) before.focus();
  });
  const close = textButton("Close", () => dialog.close());
  fill(
    dialog.body,
    ...keys.flatMap(({ title, keys }) => [
      el("h3", {}, title),
      el(
        "dl",
        { class: "zc-keys" },
        ...keys.flatMap(([names, does]) => [
          el("dt", {}, ...names.flatMap((name, i) => [i > 0 && " ", el("kbd", {}, name)])),
          el("dd", {}, does),
        ]),
      ),
    ]),
    el("div", { class: "zc-line" }, close),
  );
  close.focus();
}
