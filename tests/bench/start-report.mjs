// Formats the results of the start benchmark as a section of docs/reports/benchmarks.md.

const line = (cells) => `| ${cells.join(" | ")} |`;

const intro = `From navigation to the first decoded slice of the viewer's sample, in Chromium, with the packages minified and compressed (Brotli) on a static server, and the data on
another. *this machine* is without delay; the other line has the rate and the delay that are named, for each of the two servers. *empty* is a browser that has nothing of it, *warm* the third visit. Medians of
interleaved visits.

*page* ends when the page's script runs, *package* when the package does, *wasm* when zarr.wasm has arrived, *engine* when it is compiled and runs in its worker, *metadata* when the array is open, *slice* with the
values. What is done at the same time counts for the step that ends first: the metadata is asked for while the engine starts. zarrita has no engine; it loads the code of a codec before its first slice. *preload()* calls \`preload\` with the slice before it opens the array; *and links* besides
has the files named in its HTML, as docs/start/install.md says. fizarrita is \`@fideus-labs/fizarrita\` 1.4.1, zarrita 0.6 with a pool of workers.`;

/** The section. */
export function markdown(rows, machine) {
  const visits = rows.filter(({ total }) => total !== undefined);
  const names = Object.keys(visits[0].steps);
  const table = visits.map(({ line: name, cache, who, total, spread, steps }) =>
    line([
      `${name}, ${cache}`,
      who,
      total.toFixed(0),
      spread,
      ...names.map((step) => `${steps[step].toFixed(0)} (${((100 * steps[step]) / total).toFixed(0)} %)`),
    ]),
  );
  return [
    "## From navigation to the first slice",
    `${machine}.`,
    intro,
    [
      line(["", "", "ms", "visits", ...names]),
      line(["---", "---", "--:", "--:", ...names.map(() => "--:")]),
      ...table,
    ].join("\n"),
  ].join("\n\n");
}
