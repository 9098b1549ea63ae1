import { build, createServer } from "vite";

const common = (dir) => ({ root: dir, configFile: false, logLevel: "error", base: "./" });

export default [
  {
    title: "Vite 8, build",
    needs: "nothing",
    async build(dir) {
      await build({ ...common(dir), build: { outDir: "out" } });
    },
  },
  {
    title: "Vite 8, dev server",
    needs: "nothing",
    async serve(dir) {
      const server = await createServer({ ...common(dir), base: "/", server: { host: "127.0.0.1", port: 0 } });
      await server.listen();
      return { url: server.resolvedUrls.local[0], close: () => server.close() };
    },
  },
];
