import { ran, served } from "../process.mjs";

const common = { needs: "nothing", project: true, server: true };

export default [
  {
    ...common,
    title: "SvelteKit 2, dev server",
    serve: (dir) => served("vite", (port) => ["dev", "--host", "127.0.0.1", "--port", port, "--strictPort"], dir),
  },
  {
    ...common,
    title: "SvelteKit 2, build",
    needs: "nothing; with adapter-node, `zarr-wasm` among the `dependencies` of package.json, if its server reads",
    async serve(dir) {
      const said = await ran("vite", ["build"], dir);
      const server = await served(
        "node",
        () => ["build/index.js"],
        dir,
        (port) => ({ HOST: "127.0.0.1", PORT: port }),
      );
      return { ...server, said: () => said + server.said() };
    },
  },
];
