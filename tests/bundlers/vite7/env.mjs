import { build, createServer } from "vite7";

const common = (dir) => ({ root: dir, configFile: false, logLevel: "error", base: "./" });

export default [
  {
    title: "Vite 7, build",
    needs: "nothing",
    async build(dir) {
      await build({ ...common(dir), build: { outDir: "out" } });
    },
  },
  {
    title: "Vite 7, dev server",
    needs: '`optimizeDeps: { exclude: ["zarr-wasm"] }` in vite.config.js',
    async serve(dir) {
      const optimizeDeps = { exclude: ["zarr-wasm"] };
      const server = await createServer({
        ...common(dir),
        base: "/",
        optimizeDeps,
        server: { host: "127.0.0.1", port: 0 },
      });
      await server.listen();
      return { url: server.resolvedUrls.local[0], close: () => server.close() };
    },
  },
];
