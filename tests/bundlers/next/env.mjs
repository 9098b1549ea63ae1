import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { ran, served } from "../process.mjs";

const at =
  (command, ...more) =>
  (port) => [command, "-H", "127.0.0.1", "-p", port, ...more];

/** A server with the output of its build. */
const after = (said, server) => ({ ...server, said: () => said + server.said() });

const dev =
  (...flags) =>
  (dir) =>
    served("next", at("dev", ...flags), dir);

const built =
  (...flags) =>
  async (dir) =>
    after(await ran("next", ["build", ...flags], dir), await served("next", at("start"), dir));

const root = fileURLToPath(new URL("..", import.meta.url));

/** Copies the standalone server and its files to an empty directory. */
async function standalone(dir) {
  const said = await ran("next", ["build"], dir);
  const place = mkdtempSync(join(tmpdir(), "zarr-wasm-next-"));
  const clear = () => rmSync(place, { recursive: true, force: true });
  try {
    cpSync(join(dir, ".next", "standalone"), place, { recursive: true });
    const home = join(place, relative(root, dir));
    cpSync(join(dir, ".next", "static"), join(home, ".next", "static"), { recursive: true });
    const env = (port) => ({ HOSTNAME: "127.0.0.1", PORT: port });
    const server = await served("node", () => ["server.js"], home, env);
    const close = () => {
      server.close();
      clear();
    };
    return after(said, { ...server, close });
  } catch (error) {
    clear();
    throw error;
  }
}

const common = { needs: "nothing", project: true, server: true };

export default [
  { ...common, title: "Next.js 16, dev server", serve: dev() },
  { ...common, title: "Next.js 16, build", serve: built() },
  { ...common, title: "Next.js 16 with webpack, dev server", serve: dev("--webpack") },
  { ...common, title: "Next.js 16 with webpack, build", serve: built("--webpack") },
  {
    ...common,
    title: 'Next.js 16, build with `output: "standalone"`',
    needs: '`serverExternalPackages: ["zarr-wasm"]` in next.config.mjs, if its server reads',
    files: {
      "next.config.mjs": `import config from "./base.config.mjs";

export default { ...config, output: "standalone", serverExternalPackages: ["zarr-wasm"] };
`,
    },
    serve: standalone,
  },
];
