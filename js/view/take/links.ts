// Links to other viewers of a dataset, and code to embed it in a page.

/** The address of the package on a public CDN. */
const module = "https://cdn.jsdelivr.net/npm/zarr-wasm/dist/view.js";

const entities: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };
const attribute = (text: string) => text.replace(/[&<>"]/g, (sign) => entities[sign] ?? sign);

/**
 * Returns the HTML that embeds a view in another page: the element with its attributes, in their
 * order.
 */
export function embedOf(attributes: readonly (readonly [name: string, value: string])[]): string {
  const written = attributes.map(([name, value]) => ` ${name}="${attribute(value)}"`).join("");
  return `<script type="module" src="${module}"></script>
<zarr-view${written} style="height: 480px"></zarr-view>
`;
}

/** Another viewer, with the address or the command that opens the shown data. */
export interface Elsewhere {
  /** The viewer's identifier. */
  readonly id: "neuroglancer" | "vizarr" | "validator" | "napari";
  /** The viewer's name. */
  readonly name: string;
  /** The address that opens the data; null for programs that a command starts. */
  readonly href: string | null;
  /** The command; null for pages. */
  readonly command: string | null;
}

/** Reports whether other machines can reach an address. */
const shared = (url: string): boolean => /^https?:\/\//.test(url);

/**
 * Returns other viewers of an image or an array at an address; empty for addresses that others
 * cannot reach.
 */
export function elsewhere(url: string, kind: "array" | "image" | "plate" | "other"): Elsewhere[] {
  if (!shared(url) || kind === "other") return [];
  const of = encodeURIComponent(url);
  const name = decodeName(url);
  const state = {
    layers: [{ type: "image", source: `zarr://${url}`, name }],
    selectedLayer: { layer: name, visible: true },
  };
  const found: Elsewhere[] = [];
  const page = (id: Elsewhere["id"], name: string, href: string) => found.push({ id, name, href, command: null });
  if (kind !== "plate")
    page(
      "neuroglancer",
      "Neuroglancer",
      `https://neuroglancer-demo.appspot.com/#!${encodeURIComponent(JSON.stringify(state))}`,
    );
  if (kind !== "array") {
    page("vizarr", "vizarr", `https://hms-dbmi.github.io/vizarr/?source=${of}`);
    page("validator", "OME-NGFF validator", `https://ome.github.io/ome-ngff-validator/?source=${of}`);
    const command = `napari --plugin napari-ome-zarr '${url.replaceAll("'", "%27")}'`;
    found.push({ id: "napari", name: "napari", href: null, command });
  }
  return found;
}

function decodeName(url: string): string {
  const last = new URL(url).pathname.split("/").filter(Boolean).at(-1) ?? "zarr";
  try {
    return decodeURIComponent(last);
  } catch {
    return last;
  }
}
