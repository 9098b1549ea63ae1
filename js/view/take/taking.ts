import { UnsupportedError } from "../../index.js";
import { addressOf, type Takeable } from "../element/taking.js";
import { codeOf, type Language } from "./code.js";
import { csvOf } from "./csv.js";
import { figureCanvas, figureSvg, pngOf } from "./figure.js";
import { filmOf } from "./film.js";
import { elsewhere, embedOf } from "./links.js";
import { npyOf } from "./npy.js";
import { fileName, save } from "./save.js";
import { readSlice, selectionOf } from "./slice.js";
import { georeferenceOf, tiffOf } from "./tiff.js";

/** Pictures a second of a film. */
const SPEED = 10;

/** Takes something away. What is read to that end can be aborted. */
export async function take(id: string, of: Takeable, signal: AbortSignal): Promise<void> {
  const wish = of.wish();
  const { field } = wish;
  const name = (ending: string) => fileName([field.name, ...of.figure().subtitle], ending);
  const copy = (text: string) => navigator.clipboard.writeText(text);
  const [what, which = ""] = id.split(":");
  switch (what) {
    case "png":
      return save(await pngOf(figureCanvas(of.figure())), "image/png", name("png"));
    case "svg":
      return save(figureSvg(of.figure()), "image/svg+xml", name("svg"));
    case "csv":
      return save(csvOf(await readSlice(wish, signal)), "text/csv", name("csv"));
    case "npy":
      return save(npyOf(await readSlice(wish, signal)) as BlobPart, "application/octet-stream", name("npy"));
    case "tiff": {
      const slice = await readSlice(wish, signal);
      const place = georeferenceOf(slice);
      if (typeof place === "string") throw new UnsupportedError(place, { path: field.path, feature: "GeoTIFF" });
      return save((await tiffOf(slice, place)) as BlobPart, "image/tiff", name("tif"));
    }
    case "film": {
      const axis = Number(which);
      const before = wish.indices[axis] ?? 0;
      const length = field.axes[axis]?.length ?? 0;
      const film = await filmOf(
        {
          length,
          speed: SPEED,
          picture: async (i, signal) => {
            await of.go(axis, i, signal);
            return figureCanvas(of.figure(), 1);
          },
          done: (n) => of.progress(n, length),
        },
        signal,
      );
      await of.go(axis, before, signal);
      return save(film, "video/webm", name("webm"));
    }
    case "code": {
      const array = field.levels[wish.level]?.array;
      const url = addressOf(field);
      if (!array || url === null) return;
      const names = array.dimensionNames;
      const code = codeOf(which as Language, {
        url,
        path: array.path,
        selection: selectionOf(wish),
        shape: array.shape,
        dimensions: names?.every((one) => one !== null) ? (names as string[]) : null,
        dataset: array.path.slice(0, array.path.lastIndexOf("/")) || "/",
      });
      return copy(code ?? "");
    }
    case "embed": {
      const own = [...of.element.attributes].filter(
        ({ name }) => !["class", "style", "id", "aria-busy", "src"].includes(name),
      );
      const attributes = own.map(({ name, value }) => [name, value] as const);
      return copy(embedOf([["src", addressOf(field) ?? ""], ...attributes]));
    }
    case "open": {
      const url = addressOf(field);
      if (url === null) return;
      const target = elsewhere(`${url.replace(/\/$/, "")}${field.path === "/" ? "" : field.path}`, of.kind);
      const there = target.find(({ id }) => id === which);
      if (there?.href) window.open(there.href, "_blank", "noopener");
      else if (there?.command) await copy(there.command);
    }
  }
}
