import { fileURLToPath } from "node:url";

// The directory with the installed packages.
const root = fileURLToPath(new URL("../..", import.meta.url));

export default { turbopack: { root }, outputFileTracingRoot: root };
