// Formats the results of the view benchmark as a section of docs/reports/benchmarks.md.

const line = (cells) => `| ${cells.join(" | ")} |`;
const number = (n, unit) => `${n.toFixed(unit === "ms" || unit === "requests" ? 0 : 1)}`;

const others = ({ busy = 0 }) => busy.toFixed(1);

const parts = { OME: "pyramid", slices: "slices", ceiling: "slices", other: "colours", sample: "sample", 100: "huge" };

/** The part of the benchmark that contains a row. */
export const partOf = ({ case: name }) => parts[/^\w+/.exec(name)[0]];

const order = ["pyramid", "slices", "colours", "sample", "huge"];

/** The section. Rows with a peer are beside Viv, the others are ours alone. */
export function section(all, machine, latency) {
  const rows = all.toSorted((a, b) => order.indexOf(partOf(a)) - order.indexOf(partOf(b)));
  const beside = rows.filter(({ peer }) => peer !== undefined);
  const alone = rows.filter(({ peer }) => peer === undefined);
  const size = beside[0]?.size ?? { width: 776, height: 768 };
  const what = { requests: "requests", first: "ms to the first picture", all: "ms to all of it" };
  return [
    "## The view",
    "",
    `${machine}.`,
    "",
    `The element \`<zarr-view>\` in a page, and a server on this machine that holds every answer back for ${latency}; medians of the rounds, and their range. The machine has no`,
    `graphics processor. The pyramid is 4096 x 4096 uint16 of five levels in tiles of 256, in a window of ${size.width} x ${size.height}, beside Viv's layer in deck.gl in the same browser, which draws and composes`,
    "by SwiftShader on the same two cores, because Viv needs WebGL; below 1 the element is better. A zoom and a pan have a *first picture* at once: what was there before. *others* is how many",
    "of the machine's processors other programs kept busy meanwhile: where it is not near 0, times are longer than they are alone.",
    "",
    line(["pyramid", "", "ours", "rounds", "Viv's", "rounds", "ratio", "others"]),
    "|---|---|--:|--:|--:|--:|--:|--:|",
    ...beside.map((row) =>
      line([
        row.case,
        what[row.data],
        number(row.ours, row.unit),
        row.spread[0],
        number(row.peer, row.unit),
        row.spread[1],
        row.ratio.toFixed(2),
        others(row),
      ]),
    ),
    "",
    "*slices* is stepping through 60 slices of 361 x 720 float32, a chunk each: *cold* a step as soon as the one before is drawn, *cached* a step in each frame, forwards and back. It is measured in Chromium as it is without a graphics processor,",
    "and where SwiftShader stands for one, with a program for each pixel of each layer of the page. *ceiling* is what the same browser draws of a canvas of the same size that has other pixels in each frame, and of nothing else: the",
    "element cannot step faster. *frames* are those of the page's thread, *in the trace* those that Chromium's compositor drew. Colours are changed 20 times in a round; *work* is all of the element's own on the page's thread. The",
    "sample is that of the viewer's page, from a server without delay and with nothing in the browser's cache. Of 100,000 x 100,000, *allowed* are the tiles on screen and those of the coarsest level.",
    "",
    line(["", "", "rounds", "goal", "others"]),
    "|---|--:|--:|--:|--:|",
    ...alone.map((row) =>
      line([
        row.case,
        `${number(row.ours, row.unit)} ${row.unit}`.trim(),
        row.spread ?? "",
        row.goal === undefined ? "" : `${row.better === "more" ? "at least" : "at most"} ${row.goal}`,
        others(row),
      ]),
    ),
  ].join("\n");
}
