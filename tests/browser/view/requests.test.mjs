// The element's requests: documents of one version only, and before the first picture nothing
// unnecessary.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { viewing } from "../../lib/viewpage.mjs";

const host = await viewing({ webgl: false, flags: ["-faults"] });
after(() => host.close());

const isDocument = (path) => /(^|\/)(zarr\.json|\.z\w+)$/.test(path);

/** The requested paths in a hierarchy, in order. */
async function asked(store) {
  const { requests } = await (await fetch(`${host.url}-/faults`)).json();
  return requests.flatMap(({ path }) => (path.startsWith(`/${store}/`) ? [path.slice(store.length + 2)] : []));
}

/** A page with an element of a hierarchy, after the first picture. */
async function shown(store, controls) {
  await fetch(`${host.url}-/faults`, { method: "DELETE" });
  const page = await host.page(`<style>zarr-view{height:100vh}</style>
    <zarr-view src="${host.url}${store}" controls="${controls}"></zarr-view><script type="module">
      window.view = document.querySelector("zarr-view");
      view.addEventListener("ready", () => { window.drawn = true; });
      import "zarr-wasm/view";
    </script>`);
  await page.waitForFunction(() => window.drawn);
  return page;
}

const roots = {
  0.4: ["zarr.json", ".zgroup", ".zmetadata", ".zattrs"],
  0.5: ["zarr.json", ".zgroup", ".zmetadata"],
};
const levels = {
  0.4: ["0/.zarray", "0/.zattrs", "1/.zarray", "2/.zarray"],
  0.5: ["0/zarr.json", "1/zarr.json", "2/zarr.json"],
};

for (const version of ["0.4", "0.5"]) {
  const store = `build/fixtures/ome/image_v${version.replace(".", "")}.zarr`;

  test(`OME ${version}: a first picture requests the documents of its levels, each once`, async () => {
    const page = await shown(store, "none");
    const paths = await asked(store);
    assert.deepEqual(paths.filter(isDocument).sort(), [...roots[version], ...levels[version]].sort());
    assert.deepEqual([...new Set(paths)].sort(), [...paths].sort());
    await page.context().close();
  });

  test(`OME ${version}: labels are requested after the first picture, with one document if there are none`, async () => {
    const page = await shown(store, "some");
    let paths = await asked(store);
    while (!paths.some((path) => path.startsWith("labels/"))) paths = await asked(store);
    const first = paths.findIndex((path) => path.startsWith("labels/"));
    assert.ok(paths.slice(0, first).some((path) => !isDocument(path)));
    assert.deepEqual(paths.slice(0, first).filter(isDocument).sort(), [...roots[version], ...levels[version]].sort());
    const menu = page.getByRole("combobox", { name: "Labels" });
    if (version === "0.4") await menu.waitFor();
    paths = await asked(store);
    assert.deepEqual(
      paths.filter((path) => path.startsWith("labels/") && isDocument(path)),
      version === "0.4" ? ["labels/.zgroup", "labels/.zattrs"] : ["labels/zarr.json"],
    );
    await page.context().close();
  });
}
