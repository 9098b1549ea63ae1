// Writes golden.txt, which needs a review: node tests/describe/write.mjs, after a build.
import { writeFileSync } from "node:fs";
import { describe } from "../../dist/describe.js";
import { open, terminate } from "../../dist/node.js";
import { top } from "../lib/serve.mjs";
import { golden } from "./lines.mjs";

writeFileSync(`${top}tests/describe/golden.txt`, await golden(`${top}build/fixtures`, { open, describe }));
await terminate();
