import { cpSync, readFileSync, writeFileSync } from "node:fs";

/** Copies the package's files beside the page, which imports from an address. */
function plain(address, xarray = address.replace(/\w+\.js$/, "xarray.js")) {
  return (dir, files) => {
    cpSync(`${files}/dist`, `${dir}/out/zarr-wasm`, { recursive: true });
    const app = readFileSync(`${dir}/app.js`, "utf8")
      .replace('"zarr-wasm"', JSON.stringify(address))
      .replace('"zarr-wasm/xarray"', JSON.stringify(xarray));
    writeFileSync(`${dir}/out/app.js`, app);
    for (const name of ["main.js", "engine-cases.mjs"]) cpSync(`${dir}/${name}`, `${dir}/out/${name}`);
  };
}

/** Adds to the page's head. */
function head(dir, html) {
  const page = readFileSync(`${dir}/index.html`, "utf8");
  writeFileSync(`${dir}/out/index.html`, page.replace("<head>", `<head>\n    ${html}`));
}

const policy =
  "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; img-src data:; connect-src";

export default [
  { title: "script of type module", needs: "nothing", build: plain("./zarr-wasm/index.js") },
  {
    title: "import map",
    needs: "nothing",
    build(dir, files) {
      plain("zarr-wasm", "zarr-wasm/xarray")(dir, files);
      const imports = { "zarr-wasm": "./zarr-wasm/index.js", "zarr-wasm/xarray": "./zarr-wasm/xarray.js" };
      head(dir, `<script type="importmap">${JSON.stringify({ imports })}</script>`);
    },
  },
  {
    title: "CDN of another origin",
    needs: "nothing; with a Content-Security-Policy also `worker-src blob:`",
    otherOrigin: true,
    build(dir, files, other) {
      plain(`${other}dist/index.js`)(dir, files);
    },
  },
  {
    title: "a server that names no types",
    needs: "nothing",
    types: { ".wasm": "application/octet-stream" },
    build: plain("./zarr-wasm/index.js"),
  },
  {
    title: "strict Content-Security-Policy",
    needs: "`script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; connect-src 'self'` and the data's origin",
    headers: (data) => ({ "Content-Security-Policy": `${policy} 'self' ${new URL(data).origin}` }),
    build: plain("./zarr-wasm/index.js"),
  },
  {
    title: "Content-Security-Policy without workers",
    needs: "nothing: the engine runs on the page's thread",
    headers: (data) => ({
      "Content-Security-Policy": `${policy.replace("worker-src 'self'", "worker-src 'none'")} 'self' ${new URL(data).origin}`,
    }),
    workers: false,
    build: plain("./zarr-wasm/index.js"),
  },
  {
    title: "service worker",
    needs: 'nothing, with `from "zarr-wasm/inline"`',
    workers: false,
    build(dir, files) {
      plain("./zarr-wasm/inline.js")(dir, files);
      writeFileSync(
        `${dir}/out/sw.js`,
        `import { read } from "./app.js";
self.onmessage = async ({ data, source }) => {
  try {
    source.postMessage(await read(data));
  } catch (error) {
    source.postMessage({ error: String(error) });
  }
};`,
      );
      writeFileSync(
        `${dir}/out/main.js`,
        `await navigator.serviceWorker.register("sw.js", { type: "module" });
const { active } = await navigator.serviceWorker.ready;
navigator.serviceWorker.onmessage = ({ data }) => { globalThis.result = data; };
active.postMessage(new URLSearchParams(location.search).get("data"));`,
      );
    },
  },
];
