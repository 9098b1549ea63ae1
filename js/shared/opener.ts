/**
 * The key of a node's method that opens other nodes with the same engine. All entries of the
 * package share the symbol.
 */
export const opener: unique symbol = Symbol.for("zarr-wasm.opener");
