import { Dialog } from "../controls/dialog.js";
import { choice, Field, labelled, numberIn, offer, textButton, wholeNumber } from "../controls/parts.js";
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

/** Fields of the first and the last index along an axis. */
export class IndexRange {
  /** The fields with their labels. */
  readonly elements: readonly HTMLElement[];
  readonly #fields: readonly Field[];
  #ends: readonly [from: number, to: number] = [0, 0];

  /** `of` follows the names of the fields. Calls `changed` after a change by the person. */
  constructor(length: number, of: string, label: string, changed: () => void) {
    const end = (name: string, make: (index: number) => readonly [number, number]) =>
      new Field(
        `${name} index${of}`,
        (text) => {
          const index = numberIn(text);
          const ends = make(index);
          if (!(Number.isInteger(index) && index >= 0 && index < length && ends[0] <= ends[1]))
            return `${wholeNumber(length - 1)} The first must not be after the last.`;
          this.ends = ends;
          changed();
          return undefined;
        },
        { inputmode: "numeric" },
      );
    const first = end("First", (index) => [index, this.#ends[1]]);
    const last = end("Last", (index) => [this.#ends[0], index]);
    this.#fields = [first, last];
    this.elements = [labelled(label, first.input), labelled("to", last.input)];
  }

  /** The first and the last index. */
  get ends(): readonly [from: number, to: number] {
    return this.#ends;
  }
  set ends(ends: readonly [from: number, to: number]) {
    this.#ends = ends;
    for (const [i, field] of this.#fields.entries()) field.set(String(ends[i]));
  }
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
