// Checks hosts as a person would, against a correct server and a faulty one.
//
//   node --test tests/browser/demo-host.mjs
import assert from "node:assert/strict";
import { accessible, viewer } from "./viewerpage.mjs";

const it = viewer({ flags: ["-list"] });

/** Types an address into the page that checks hosts, and returns its verdicts by title. */
async function check(page, path) {
  await page.goto(`${it.site.url}hostcheck.html`);
  await page.getByLabel("Address of a Zarr store").fill(new URL(path, it.data.url).href);
  await page.getByRole("button", { name: "Check" }).click();
  await page.getByRole("list", { name: "What was found" }).waitFor();
  const found = {};
  for (const item of await page.locator(".finding").all()) {
    const title = await item.getByRole("heading").innerText();
    found[title] = { verdict: await item.getAttribute("data-verdict"), text: await item.innerText() };
  }
  return { sum: await page.getByRole("status").innerText(), found };
}

it.onPage("a host that answers as it should is told so", async (page) => {
  const { sum, found } = await check(page, "ome/image_v05.zarr");
  assert.match(sum, /Pages can read from this host/);
  const good = Object.keys(found).filter((title) => found[title].verdict === "good");
  for (const title of ["(CORS)", "missing", "ranges", "Headers", "OPTIONS", "Listing", "Types", "Changes"])
    assert.ok(
      good.some((one) => one.includes(title)),
      `${title} is not good: ${JSON.stringify(found)}`,
    );
  assert.ok(!Object.values(found).some(({ verdict }) => verdict === "bad"));
  await accessible(page, "host check");
});

it.onPage("answers without the headers are told, each with its cure", async (page) => {
  const documents = ["zarr.json", ".zmetadata", ".zgroup", ".zarray"];
  const cases = [
    // The first one, because the browser caches the answer to OPTIONS.
    [
      "OPTIONS refused",
      async () => it.fault("v2/layout.zarr/.zgroup", { method: "OPTIONS", status: 405 }),
      ["v2/layout.zarr", "OPTIONS", /Allow-Methods/],
    ],
    [
      "no header at all",
      async () => {
        for (const name of documents) await it.fault(`v2/layout.zarr/${name}`, { noCORS: true });
      },
      ["v2/layout.zarr", "(CORS)", /Access-Control-Allow-Origin/],
    ],
    [
      "no header on what is missing",
      async () => it.fault("v2/layout.zarr/no-such-object-48151623", { noCORS: true }),
      ["v2/layout.zarr", "missing", /every status/],
    ],
    [
      "403 for what is missing",
      async () => it.fault("v2/layout.zarr/no-such-object-48151623", { status: 403 }),
      ["v2/layout.zarr", "missing", /ListBucket/],
    ],
    [
      "a page for what is missing",
      async () => it.fault("v2/layout.zarr/no-such-object-48151623", { html: true }),
      ["v2/layout.zarr", "missing", /404/],
    ],
    [
      "no ranges",
      async () => it.fault("v2/layout.zarr/.zgroup", { ignoreRange: true }),
      ["v2/layout.zarr", "ranges", /plain files/],
    ],
    [
      "nothing exposed",
      async () => it.fault("v2/layout.zarr/.zgroup", { header: { "Access-Control-Expose-Headers": "" } }),
      ["v2/layout.zarr", "Headers", /Expose/],
    ],
  ];
  for (const [name, spoil, wanted] of cases) {
    await it.mend();
    await spoil();
    const [path, title, cure] = wanted;
    const { found } = await check(page, path);
    const one = Object.entries(found).find(([each]) => each.includes(title))?.[1];
    assert.ok(one && one.verdict !== "good", `${name}: ${JSON.stringify(found)}`);
    assert.match(one.text, cure, name);
  }
});

it.onPage("the lines to paste are those of the server that is chosen", async (page) => {
  await page.goto(`${it.site.url}hostcheck.html`);
  const server = page.getByRole("combobox", { name: "Server" });
  for (const [name, word] of [
    ["nginx", "add_header Access-Control-Allow-Origin"],
    ["Apache", "Header always set"],
    ["Caddy", "file_server browse"],
    ["Amazon S3", "s3:ListBucket"],
    ["Google Cloud Storage", "maxAgeSeconds"],
    ["Cloudflare R2", "AllowedOrigins"],
    ["GitHub Pages", ".nojekyll"],
  ]) {
    await server.selectOption({ label: name });
    assert.ok((await page.getByRole("region").allInnerTexts()).join("\n").includes(word), name);
  }
});

it.onPage(
  "host check on a narrow dark screen",
  async (page) => {
    await it.fault("v2/layout.zarr/no-such-object-48151623", { noCORS: true });
    await check(page, "v2/layout.zarr");
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth));
    await accessible(page, "host check, dark");
  },
  { viewport: { width: 390, height: 800 }, colorScheme: "dark" },
);
