// Turns blocks of the documents' code into scripts, for the tests and for the site's live examples.
// It uses no API of Node, because the site loads it too.

/**
 * Part of the scripts: records a line's output as text, the same for a typed array and a list of
 * its elements. Returns the output.
 */
export function takeDown(said, line, is, told) {
  const text = (values) =>
    JSON.stringify(values, (_, v) => {
      if (ArrayBuffer.isView(v)) return Array.from(v);
      const has = typeof v === "number" ? Number.isFinite(v) : typeof v !== "bigint" && v !== undefined;
      return has ? v : `${v} (${typeof v})`; // JSON has no such value
    });
  said.push({ line, is: text(is), told: text(told) });
  return is;
}

const prints = /^( *)console\.log\((.*)\); \/\/ -> (.*)$/gm;

/** The number of lines of a block that state their output. */
export const toldIn = ({ code }) => code.match(prints)?.length ?? 0;

/** The code with calls of `takeDown` in place of the lines that state their output. */
export function recording(code) {
  let n = 0;
  return code.replace(prints, (_, space, is, told) => `${space}takeDown(said, ${++n}, [${is}], [${told}]);`);
}

/** The code with other addresses: `addresses` maps the beginnings of the documents' own. */
export function relocated(code, addresses) {
  return Object.entries(addresses).reduce((text, [from, to]) => text.replaceAll(from, to), code);
}

/** The code with files in place of the package's names. */
export function linked(code, files) {
  let text = code;
  for (const [from, to] of Object.entries(files))
    for (const word of ["from", "import"]) text = text.replaceAll(`${word} "${from}"`, `${word} "${to}"`);
  return text;
}

/**
 * Whether the site can run a block, because the block states its output and needs no more than a
 * page. Service workers need files of their own, and shared memory needs headers.
 */
export const runsInPage = (block) =>
  block.words[0] === "js" &&
  !block.words.includes("node") &&
  !block.name &&
  toldIn(block) > 0 &&
  !/\bserviceWorker\b|\bcrossOriginIsolated\b/.test(block.code);
