// Formats the results of the start benchmark as a section of docs/reports/benchmarks.md.

const line = (cells) => `| ${cells.join(" | ")} |`;

const intro = `The time from navigation to the first decoded slice of the viewer's sample, in Chromium. Packages are minified and compressed with
Brotli; data and packages come from two servers. *this machine* has no delay; other lines name the rate and delay. *empty* has an empty
cache, *warm* is the third visit. Medians of interleaved visits.

Each step begins at the end of the previous one: *page* ends when the page's script runs, *package* when the package runs, *wasm* when
zarr.wasm has arrived, *engine* when it runs, *metadata* when the array is open, and *slice* with the values. *preload()* calls
\`preload\` with the slice first; *and links* also names the files in HTML. fizarrita is \`@fideus-labs/fizarrita\` 1.4.1, zarrita 0.6 with
a pool of workers.`;

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
