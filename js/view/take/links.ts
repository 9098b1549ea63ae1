// Where else a dataset can be seen, and what a page needs to show it.

/** The name under which the package is on a public server of packages. */
const module = "https://cdn.jsdelivr.net/npm/zarr-wasm/dist/view.js";

const entities: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };
const attribute = (text: string) => text.replace(/[&<>"]/g, (sign) => entities[sign] ?? sign);

/** What shows a view in another page: the element with its attributes, in their order. */
export function embedOf(attributes: readonly (readonly [name: string, value: string])[]): string {
  const written = attributes.map(([name, value]) => ` ${name}="${attribute(value)}"`).join("");
  return `<script type="module" src="${module}"></script>
<zarr-view${written} style="height: 480px"></zarr-view>
`;
}

/** Another viewer, and how it opens what is shown: an address, or a command. */
export interface Elsewhere {
  /** Names it. */
  readonly id: "neuroglancer" | "vizarr" | "validator" | "napari";
  /** Its name. */
  readonly name: string;
  /** Its address with what it is to open; null for programs that are started by a command. */
  readonly href: string | null;
  /** The command; null for pages. */
  readonly command: string | null;
}

/** Whether others reach an address: of this machine they do not. */
const shared = (url: string): boolean => /^https?:\/\//.test(url);

/** What else opens an image or an array at an address; empty where that is no address of the web. */
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
