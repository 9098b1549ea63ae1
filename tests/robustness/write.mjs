// Writes docs/reports/robustness.md: node tests/robustness/write.mjs
import { writeFileSync } from "node:fs";
import { page, pageText } from "./page.mjs";

writeFileSync(page, pageText());
