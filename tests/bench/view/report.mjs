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
    `The element \`<zarr-view>\` in a page, with a local server that delays every answer by ${latency}. Medians of the rounds, and their range. The`,
    `machine has no graphics processor. The pyramid is 4096 x 4096 uint16 of five levels in tiles of 256, in a window of ${size.width} x ${size.height}. Viv's`,
    "layer in deck.gl needs WebGL, which SwiftShader computes on the same two cores. A ratio below 1 means that the element is better.",
    "*others* counts the processors that other programs kept busy.",
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
    "*slices* steps through 60 slices of 361 x 720 float32, one chunk each: *cold* steps after each drawing, *cached* in each frame. It runs",
    "in Chromium without a graphics processor, and with SwiftShader in its place. *ceiling* is the rate at which that browser draws a",
    "changing canvas of the same size alone. *frames* counts those of the page's thread, *in the trace* those of Chromium's compositor.",
    "*work* is the element's own time on the page's thread, for 20 changes of colours. The sample is that of the viewer, without delay and",
    "with an empty cache. Of 100,000 x 100,000, *allowed* are the visible tiles and those of the coarsest level.",
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
