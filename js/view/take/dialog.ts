import { Dialog } from "../controls/dialog.js";
import { choice, labelled, offer, textButton } from "../controls/parts.js";
import { copyText, el, fill } from "../dom.js";

/** Shows a dialog of texts to copy, one of several at a time. */
export function showTexts(
  root: ParentNode & Node,
  title: string,
  texts: readonly { readonly name: string; readonly text: string }[],
): void {
  const dialog = new Dialog(root, title);
  const area = el("textarea", { readonly: true, class: "zc-text", rows: 12, "aria-label": title, spellcheck: "false" });
  const show = (name: string) => {
    area.value = texts.find((one) => one.name === name)?.text ?? "";
    area.rows = Math.min(24, Math.max(2, area.value.split("\n").length));
  };
  const select = choice("Which", show);
  offer(
    select,
    texts.map(({ name }) => [name, name]),
  );
  const copy = textButton("Copy", () => void copyText(area.value, copy));
  show(texts[0]?.name ?? "");
  fill(
    dialog.body,
    texts.length > 1 && labelled("In", select),
    area,
    el(
      "div",
      { class: "zc-line" },
      copy,
      textButton("Close", () => dialog.close()),
    ),
  );
}

/** Shows the progress of a task, with a button that aborts it. Short tasks show nothing. */
export async function waiting<T>(
  root: ParentNode & Node,
  title: string,
  ending: AbortSignal,
  work: (signal: AbortSignal, done: (share: number) => void) => Promise<T>,
): Promise<T> {
  const control = new AbortController();
  const bar = el("progress", { max: 1, "aria-label": title });
  let dialog: Dialog | null = null;
  const timer = setTimeout(() => {
    dialog = new Dialog(root, title, () => control.abort());
    fill(
      dialog.body,
      bar,
      el(
        "div",
        { class: "zc-line" },
        textButton("Cancel", () => dialog?.close()),
      ),
    );
  }, 300);
  try {
    return await work(AbortSignal.any([control.signal, ending]), (share) => {
      bar.value = share;
    });
  } finally {
    clearTimeout(timer);
    (dialog as Dialog | null)?.close();
  }
}
