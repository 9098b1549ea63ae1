import { choice, labelled, offer, textButton } from "../controls/parts.js";
import { append, copyText, el, fill } from "../dom.js";

/** A dialog over the view; it is gone when it is closed. */
export class Dialog {
  /** What it shows. */
  readonly body = el("div", { class: "zc-body" });
  readonly #dialog: HTMLDialogElement;

  /** Opens it below a root of the view; `closed` is called once. */
  constructor(root: ParentNode & Node, title: string, closed: () => void = () => {}) {
    this.#dialog = el(
      "dialog",
      { class: "zc-dialog", "aria-label": title },
      el("div", { class: "zc-head" }, el("h2", { class: "zc-title" }, title)),
      this.body,
    );
    // The view's own keys do not work in here.
    this.#dialog.addEventListener("keydown", (event) => event.stopPropagation());
    this.#dialog.addEventListener("close", () => {
      this.#dialog.remove();
      closed();
    });
    append(root, this.#dialog);
    this.#dialog.showModal();
  }

  /** Closes it. */
  close(): void {
    if (this.#dialog.open) this.#dialog.close();
  }
}

/** Shows texts to be copied, one of several at a time. */
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

/** Shows how far something is until it is done, and lets it be ended. What is soon done is not shown. */
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
