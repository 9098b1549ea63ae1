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
      [["←", "→", "↑", "↓"], "move the cursor by an element; with Shift the picture"],
      [["←", "→", "↑", "↓"], "turn a projected map; with Shift move the cursor"],
      [["+", "−", "0"], "zoom in, zoom out, show all"],
      [["[", "]"], "step through the first axis that is not drawn, like Page up and Page down"],
      [["Space"], "play that axis"],
      [["Enter"], "add the series of the element at the cursor; with Shift the line to it"],
      [["l"], "highlight the label at the cursor"],
      [["Esc"], "hide the cursor, or cancel the drawing of a region"],
    ],
  },
  {
    title: "Volume",
    keys: [
      [["←", "→", "↑", "↓"], "turn the volume; with Shift move it"],
      [["+", "−", "0"], "zoom in, zoom out, return to the first view"],
      [["[", "]"], "step through the slices of the third axis"],
      [["Enter"], "read the value that the middle of the view shows"],
    ],
  },
  {
    title: "Lines",
    keys: [
      [
        ["←", "→"],
        "move the cursor by a value; with Shift, or Page up and Page down, by a twentieth of the visible part",
      ],
      [["Home", "End"], "go to the first or the last value"],
      [["+", "−", "0"], "zoom in, zoom out, show all"],
      [["l"], "switch to logarithmic values"],
      [["Enter"], "show the picture at the cursor"],
    ],
  },
  {
    title: "Points",
    keys: [
      [["←", "→", "Home", "End"], "go from row to row; arrows with Shift move the points"],
      [["+", "−", "0"], "zoom in, zoom out, show all"],
    ],
  },
  {
    title: "Tables and plates",
    keys: [
      [["←", "→", "↑", "↓"], "move the cursor; with Ctrl to the ends"],
      [["Shift"], "select with these keys"],
      [["Ctrl", "C"], "copy the selection"],
      [["Alt", "←", "→"], "make a column narrower or wider"],
      [["Enter"], "open the row or the well"],
    ],
  },
  { title: "Everywhere", keys: [[["?"], "show these keys"]] },
];
