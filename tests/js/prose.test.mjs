// Ratchet for the writing rule of CONTRIBUTING.md: no file may have more places of a forbidden
// pattern than tests/prose.json records. `node tests/tools/prose.mjs --list PATTERN` lists them.
import assert from "node:assert/strict";
import { test } from "node:test";
import { counted, found, grown, recorded } from "../tools/prose.mjs";

test("no file has more places of a forbidden pattern than recorded", () => {
  assert.deepEqual(grown(recorded(), counted()), []);
});

test("each pattern is found in comments, and nowhere else", () => {
  const long = Array(26).fill("a").join(" ");
  const places = {
    opening: "What it returns.",
    "of which": "Returns two, of which one is large.",
    "is told": "The page is told so.",
    "tells of": "It tells of a fault.",
    besides: "It reads the others besides.",
    "as it is": "It stays as it is.",
    "so many": "Waits so many milliseconds.",
    "lets go of": "It lets go of the store.",
    nobody: "It is a port that nobody uses.",
    words: `It ${long}.`,
    columns: `It ${"x".repeat(100)}.`,
  };
  for (const [pattern, text] of Object.entries(places)) {
    for (const [file, comment] of [
      ["a.go", `// ${text}\n`],
      ["a.mjs", `/** ${text} */\n`],
      ["a.sh", `# ${text}\n`],
    ])
      assert.deepEqual([...new Set(found(file, comment).map((place) => place.pattern))], [pattern], file);
    assert.deepEqual(found("a.mjs", `const text = ${JSON.stringify(text)};\n`), [], pattern);
    assert.deepEqual(found("a.md", `\`${text}\`\n`), [], pattern);
  }
});

test("counts may fall, and move with a renamed file, but not grow", () => {
  const before = { a: { opening: 2, words: 1 }, b: { opening: 1 } };
  const check = (now, gone = []) => grown(before, now, (path) => !gone.includes(path));
  assert.deepEqual(check(before), []);
  assert.deepEqual(check({ a: { opening: 1 } }), []);
  assert.deepEqual(check({ a: { opening: 3, words: 1 } }), ["a: opening: 3, recorded 2"]);
  assert.deepEqual(check({ a: { besides: 1 } }), ["a: besides: 1, recorded 0"]);
  assert.deepEqual(check({ c: { opening: 1 } }), ["c: opening: 1, recorded 0"]);
  assert.deepEqual(check({ c: { opening: 2, words: 1 } }, ["a"]), []);
  assert.deepEqual(check({ c: { opening: 2 }, d: { opening: 1 } }, ["a"]), ["d: opening: 1, recorded 0"]);
});
