/** The package's version. The build defines it. */
declare const ZARR_WASM_VERSION: string;

/** zarr-full.wasm, compressed by Zstandard. */
declare module "#wasm-zstd" {
  const bytes: Uint8Array<ArrayBuffer>;
  export default bytes;
}

/** The worker's script. */
declare module "#worker-text" {
  const text: string;
  export default text;
}

/** Go's wasm_exec.js, wrapped by the build so that it leaks no global. */
declare module "#wasm-exec" {
  interface GoProgram {
    readonly importObject: WebAssembly.Imports;
    /** The environment that Go's runtime reads. */
    env: Record<string, string>;
    /** Called with the program's exit code. */
    exit: (code: number) => void;
    /**
     * JavaScript's values by the numbers that Go gives them while it runs, and the free numbers.
     */
    readonly _values?: unknown[];
    readonly _idPool: number[];
    /** Resumes the program to handle the event that woke it. */
    _resume: () => void;
    /** Runs the program; settles when it exits, rejects when it traps before it first waits. */
    run(instance: WebAssembly.Instance): Promise<void>;
  }
  export function createGo(): {
    Go: new () => GoProgram;
    global: Record<string, unknown> & { fs: { writeSync(fd: number, bytes: Uint8Array): number } };
  };
}

/** The JSON Schemas of the Zarr object model, which Go and TypeScript share. */
declare module "#schema-v2" {
  const schema: { readonly [name: string]: SchemaJson };
  export default schema;
}
declare module "#schema-v3" {
  const schema: { readonly [name: string]: SchemaJson };
  export default schema;
}
type SchemaJson = null | boolean | number | string | readonly SchemaJson[] | { readonly [name: string]: SchemaJson };
