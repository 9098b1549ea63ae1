import { fileURLToPath } from "node:url";

// Where the packages are installed.
const root = fileURLToPath(new URL("../..", import.meta.url));

export default { turbopack: { root }, outputFileTracingRoot: root };
