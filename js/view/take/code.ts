// Programs that read a slice.
import type { Slice } from "./slice.js";

/** The input of a program. */
export interface Program {
  /** The address of the store. */
  readonly url: string;
  /** The path of the array in the store. */
  readonly path: string;
  /**
   * The selection along each dimension of the array: an index, or a start and an exclusive stop.
   */
  readonly selection: Slice["selection"];
  /** The lengths of the dimensions. */
  readonly shape: readonly number[];
  /** The names of the dimensions; null if they have none. */
  readonly dimensions: readonly string[] | null;
  /** The path of the dataset with the array; null if there is none. */
  readonly dataset: string | null;
}

/** The languages. */
export type Language = "javascript" | "python" | "xarray" | "go";

const all = ([start, stop]: readonly [number, number], length: number | undefined) => start === 0 && stop === length;

/**
 * Returns a string literal for JavaScript, Go and Python. Escapes invisible characters and those
 * that reverse text. The literal cannot close a page's script. A lone surrogate, which Go does not
 * have, becomes U+FFFD, as in a store's keys.
 */
export function literal(text: string, long = (code: string) => `\\U${code.padStart(8, "0")}`): string {
  const whole = JSON.stringify(text.replace(/\p{Cs}/gu, "\ufffd"));
  return whole.replace(/[\p{C}\p{Zl}\p{Zp}]|<(?=[/!])/gu, (sign) => {
    const code = (sign.codePointAt(0) ?? 0).toString(16);
    return sign.length === 1 ? `\\u${code.padStart(4, "0")}` : long(code);
  });
}

/** Returns a string literal of JavaScript, which escapes code points beyond 16 bits differently. */
const script = (text: string) => literal(text, (code) => `\\u{${code}}`);
const below = (path: string) => path.replace(/^\//, "");

function javascript({ url, path, selection, shape }: Program): string {
  const items = selection.map((one, d) =>
    typeof one === "number" ? String(one) : all(one, shape[d]) ? "null" : `slice(${one[0]}, ${one[1]})`,
  );
  const names = items.some((item) => item.startsWith("slice")) ? "open, root, slice" : "open, root";
  // A single number has no data and no shape.
  const one = selection.every((item) => typeof item === "number");
  return `import { ${names} } from "zarr-wasm";

const array = await open(root(${script(url)}).resolve(${script(path)}), { kind: "array" });
const ${one ? "value" : "{ data, shape }"} = await array.get([${items.join(", ")}]);
`;
}

const ranges = ({ selection, shape }: Program) =>
  selection.map((one, d) => (typeof one === "number" ? String(one) : all(one, shape[d]) ? ":" : `${one[0]}:${one[1]}`));

function zarrPython(program: Program): string {
  const { url, path } = program;
  const items = ranges(program).join(", ");
  return `import zarr  # with fsspec and aiohttp for addresses

array = zarr.open(${literal(url)}, mode="r"${path === "/" ? "" : `, path=${literal(below(path))}`})
data = array[${items === "" ? "()" : items}]
`;
}

/** Returns a program for xarray, by the names of dimensions; null if they are not distinct. */
function xarray(program: Program): string | null {
  const { url, path, selection, shape, dimensions, dataset } = program;
  if (dataset === null || dimensions === null || new Set(dimensions).size < dimensions.length) return null;
  if (!path.startsWith(dataset === "/" ? "/" : `${dataset}/`)) return null;
  const items = selection.flatMap((one, d) => {
    const name = literal(dimensions[d] ?? "");
    if (typeof one === "number") return [`${name}: ${one}`];
    return all(one, shape[d]) ? [] : [`${name}: slice(${one[0]}, ${one[1]})`];
  });
  const group = dataset === "/" ? "" : `, group=${literal(below(dataset))}`;
  const name = path.slice(dataset === "/" ? 1 : dataset.length + 1);
  return `import xarray as xr

dataset = xr.open_zarr(${literal(url)}${group})
data = dataset[${literal(name)}]${items.length > 0 ? `.isel({${items.join(", ")}})` : ""}
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

	"github.com/zarr-wasm/zarr-wasm/store/httpstore"
	"github.com/zarr-wasm/zarr-wasm/zarr"
	"github.com/zarr-wasm/zarr-wasm/zarr/codecs"
	"github.com/zarr-wasm/zarr-wasm/zarr/grid"
)

func main() {
	ctx := context.Background()
	store, err := httpstore.New(${literal(url)}, httpstore.Options{})
	if err != nil {
		log.Fatal(err)
	}
	array, err := zarr.New(store, codecs.Default(), zarr.Options{}).OpenArray(ctx, ${literal(below(path))})
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

/** Returns the program in a language; null if there is none. */
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
