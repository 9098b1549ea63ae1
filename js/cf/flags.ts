import { InvalidMetadataError } from "../errors.js";
import { asList, shown } from "./attributes.js";

/** The meanings of flags: `flag_values`, `flag_masks` and `flag_meanings` (CF 3.5). */
export class Flags {
  /** The words of `flag_meanings`. */
  readonly meanings: readonly string[];
  readonly #values: readonly bigint[] | undefined;
  readonly #masks: readonly bigint[] | undefined;
  readonly #bits: number;

  /** @internal See {@link flagsOf}. */
  constructor(meanings: string[], values: bigint[] | undefined, masks: bigint[] | undefined, bits: number) {
    this.meanings = meanings;
    this.#values = values;
    this.#masks = masks;
    this.#bits = bits;
  }

  /**
   * Returns the meanings of a value. With `flag_values` alone there is at most one. NaN, which is
   * missing, and fractions have none.
   */
  of(value: number | bigint): string[] {
    if (typeof value === "number" && !Number.isInteger(value)) return [];
    const bits = BigInt.asUintN(this.#bits, BigInt(value));
    return this.meanings.filter((_, i) => {
      const mask = this.#masks?.[i];
      const flag = this.#values?.[i];
      if (mask === undefined) return bits === flag;
      return flag === undefined ? (bits & mask) !== 0n : (bits & mask) === flag;
    });
  }
}

/**
 * Reads the attributes `flag_meanings`, `flag_values` and `flag_masks` of a variable whose integers
 * have the given number of bits. Undefined if they are absent. Throws {@link InvalidMetadataError}
 * if they contradict each other.
 */
export function flagsOf(attributes: Readonly<Record<string, unknown>>, bits = 64): Flags | undefined {
  const { flag_meanings: text, flag_values: values, flag_masks: masks } = attributes;
  if (text === undefined || (values === undefined && masks === undefined)) return undefined;
  if (typeof text !== "string") {
    throw new InvalidMetadataError(`attribute flag_meanings: expected a string, not ${shown(text)}`);
  }
  const meanings = text.split(/\s+/).filter((word) => word !== "");
  const integers = (name: string): bigint[] | undefined => {
    const value = attributes[name];
    if (value === undefined) return undefined;
    const list = asList(value);
    if (list.length !== meanings.length) {
      throw new InvalidMetadataError(`attribute ${name}: ${list.length} values for ${meanings.length} meanings`);
    }
    return list.map((one) => {
      const integer = typeof one === "bigint" || Number.isInteger(one) ? BigInt(one as number | bigint) : undefined;
      // No element has more than 64 bits.
      if (
        integer === undefined ||
        (BigInt.asIntN(64, integer) !== integer && BigInt.asUintN(64, integer) !== integer)
      ) {
        throw new InvalidMetadataError(`attribute ${name}: expected an integer, not ${shown(one)}`);
      }
      return BigInt.asUintN(bits, integer);
    });
  };
  return new Flags(meanings, integers("flag_values"), integers("flag_masks"), bits);
}
