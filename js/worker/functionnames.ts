/**
 * The beginning of Go's function table: its version, the size of an instruction, and that of a
 * pointer.
 */
const header = 0x08_01_0000_ffff_fff1n;

/**
 * Adds names to the functions that a JavaScript stack lists by number, `wasm-function[42]`. The
 * wasm has no name section, but Go's table in the instance's memory has the names
 * (runtime/symtab.go).
 */
export function nameFunctions(stack: string, memory: ArrayBuffer, imported: number): string {
  const table = new BigUint64Array(memory, 0, memory.byteLength >> 3).indexOf(header) * 8;
  if (table < 0) return stack;
  const bytes = new Uint8Array(memory);
  const view = new DataView(memory);
  const word = (at: number) => view.getUint32(at, true);
  const count = word(table + 8);
  const names = table + word(table + 32);
  const index = table + word(table + 64);
  return stack.replace(/wasm-function\[(\d+)\]/g, (all, number) => {
    const k = number - imported;
    if (k < 0 || k >= count) return all;
    const name = names + word(index + word(index + 8 * k + 4) + 4);
    return `${all} ${new TextDecoder().decode(bytes.subarray(name, bytes.indexOf(0, name)))}`;
  });
}
