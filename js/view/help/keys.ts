/** Keys of a part of a view, or of a page. */
export interface KeySection {
  /** The name of the part. */
  readonly title: string;
  /** The keys and their actions. */
  readonly keys: readonly (readonly [keys: readonly string[], does: string])[];
}

/** The keys of the element. */
export const keys: readonly KeySection[] = [
  {
    title: "Picture",
    keys: [
      [["←", "→", "↑", "↓"], "moves the cursor by an element; with Shift the picture"],
      [["+", "−", "0"], "zooms in, zooms out, shows all"],
      [["[", "]"], "steps through the first axis that is not drawn; Page up and Page down do, too"],
      [["Space"], "plays that axis"],
      [["Enter"], "adds the series of the element at the cursor; with Shift the line to it"],
      [["l"], "tells the label at the cursor apart"],
      [["Esc"], "takes the cursor away"],
    ],
  },
  {
    title: "Lines",
    keys: [
      [["←", "→"], "moves the cursor by a value; with Shift, or Page up and Page down, by a twentieth of what is seen"],
      [["Home", "End"], "goes to the first, to the last value"],
      [["+", "−", "0"], "zooms in, zooms out, shows all"],
      [["l"], "makes the values logarithmic"],
      [["Enter"], "shows the picture at the cursor, beside one"],
    ],
  },
  {
    title: "Points",
    keys: [
      [["←", "→", "Home", "End"], "goes from row to row; arrows with Shift move the points"],
      [["+", "−", "0"], "zooms in, zooms out, shows all"],
    ],
  },
  {
    title: "Tables and plates",
    keys: [
      [["←", "→", "↑", "↓"], "moves the cursor; with Ctrl to the ends"],
      [["Shift"], "with these selects"],
      [["Ctrl", "C"], "copies what is selected"],
      [["Alt", "←", "→"], "makes a column narrower or wider"],
      [["Enter"], "opens the row or the well"],
    ],
  },
  { title: "Everywhere", keys: [[["?"], "shows these keys"]] },
];
