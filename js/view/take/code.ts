// Programs that read a slice again.
import type { Slice } from "./slice.js";

/** What a program reads. */
export interface Program {
  /** The address of the store. */
  readonly url: string;
  /** The path of the array in it. */
  readonly path: string;
  /** What is taken along each dimension of the array: an index, from one to before another, or all of so many. */
  readonly selection: Slice["selection"];
  /** The lengths of its dimensions. */
  readonly shape: readonly number[];
  /** The names of its dimensions; null where it has none. */
  readonly dimensions: readonly string[] | null;
  /** The path of the dataset that it is a variable of; null where it is in none. */
  readonly dataset: string | null;
}

/** The languages. */
export type Language = "javascript" | "python" | "xarray" | "go";

const all = ([start, stop]: readonly [number, number], length: number | undefined) => start === 0 && stop === length;
const json = (text: string) => JSON.stringify(text);
const below = (path: string) => path.replace(/^\//, "");

function javascript({ url, path, selection, shape }: Program): string {
  const items = selection.map((one, d) =>
    typeof one === "number" ? String(one) : all(one, shape[d]) ? "null" : `slice(${one[0]}, ${one[1]})`,
  );
  const names = items.some((item) => item.startsWith("slice")) ? "open, root, slice" : "open, root";
  // One number has no data and no shape.
  const one = selection.every((item) => typeof item === "number");
  return `import { ${names} } from "zarr-wasm";

const array = await open(root(${json(url)}).resolve(${json(path)}), { kind: "array" });
const ${one ? "value" : "{ data, shape }"} = await array.get([${items.join(", ")}]);
`;
}

const ranges = ({ selection, shape }: Program) =>
  selection.map((one, d) => (typeof one === "number" ? String(one) : all(one, shape[d]) ? ":" : `${one[0]}:${one[1]}`));

/** A text of Python; JSON's are such but for what is beyond 16 bits. */
const python = (text: string) => json(text).replace(/[\ud800-\udfff]/gu, "\\ufffd");

function zarrPython(program: Program): string {
  const { url, path } = program;
  const items = ranges(program).join(", ");
  return `import zarr  # with fsspec and aiohttp for addresses

array = zarr.open(${python(url)}, mode="r"${path === "/" ? "" : `, path=${python(below(path))}`})
data = array[${items === "" ? "()" : items}]
`;
}

/** xarray's way, by the names of dimensions; null where they have none that are different. */
function xarray(program: Program): string | null {
  const { url, path, selection, shape, dimensions, dataset } = program;
  if (dataset === null || dimensions === null || new Set(dimensions).size < dimensions.length) return null;
  if (!path.startsWith(dataset === "/" ? "/" : `${dataset}/`)) return null;
  const items = selection.flatMap((one, d) => {
    const name = python(dimensions[d] ?? "");
    if (typeof one === "number") return [`${name}: ${one}`];
    return all(one, shape[d]) ? [] : [`${name}: slice(${one[0]}, ${one[1]})`];
  });
  const group = dataset === "/" ? "" : `, group=${python(below(dataset))}`;
  const name = path.slice(dataset === "/" ? 1 : dataset.length + 1);
  return `import xarray as xr

dataset = xr.open_zarr(${python(url)}${group})
data = dataset[${python(name)}]${items.length > 0 ? `.isel({${items.join(", ")}})` : ""}
`;
}

function go({ url, path, selection, shape }: Program): string {
  const items = selection.map((one, d) =>
    typeof one === "number"
      ? `grid.At(${one})`
      : all(one, shape[d])
        ? "grid.All()"
        : `grid.Range(new(int64(${one[0]})), new(int64(${one[1]})), nil)`,
  );
  return `package main

import (
	"context"
	"fmt"
	"log"

	"zarr-wasm/store/httpstore"
	"zarr-wasm/zarr"
	"zarr-wasm/zarr/codecs"
	"zarr-wasm/zarr/grid"
)

func main() {
	ctx := context.Background()
	store, err := httpstore.New(${json(url)}, httpstore.Options{})
	if err != nil {
		log.Fatal(err)
	}
	array, err := zarr.New(store, codecs.Default(), zarr.Options{}).OpenArray(ctx, ${json(below(path))})
	if err != nil {
		log.Fatal(err)
	}
	// Data: packed little-endian elements in C order.
	slice, err := array.Read(ctx, []grid.Item{${items.join(", ")}}, zarr.ReadOptions{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(array.DType().Name, slice.Shape, len(slice.Data))
}
`;
}

/** The program of a language; null where it has no way to it. */
export function codeOf(language: Language, program: Program): string | null {
  switch (language) {
    case "javascript":
      return javascript(program);
    case "python":
      return zarrPython(program);
    case "xarray":
      return xarray(program);
    case "go":
      return go(program);
  }
}
