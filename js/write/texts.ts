import type { TypeDescription } from "../engine/protocol/wire.js";
import { type Encoded, payloads } from "./elements.js";
import { isText } from "./json.js";
import { refuseElement } from "./refused.js";

export const utf8 = new TextEncoder();
const utf8Only = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

const isBytes = (value: unknown): value is Uint8Array =>
  Object.prototype.toString.call(value) === "[object Uint8Array]";

/** Encodes texts of variable length. */
export function texts(type: TypeDescription, at: (i: number) => unknown, count: number): Encoded {
  return payloads(
    Array.from({ length: count }, (_, i) => {
      const text = at(i);
      if (typeof text !== "string") refuseElement(type, text, i);
      if (!isText(text)) refuseElement(type, text, i, "it is not valid Unicode");
      return utf8.encode(text);
    }),
  );
}

/** Encodes bytes of variable length. */
export function byteStrings(type: TypeDescription, at: (i: number) => unknown, count: number): Encoded {
  return payloads(
    Array.from({ length: count }, (_, i) => {
      const bytes = at(i);
      return isBytes(bytes) ? bytes : refuseElement(type, bytes, i);
    }),
  );
}

/**
 * Encodes texts of a fixed number of bytes as UTF-8, padded with NULs. A text that is longer in
 * UTF-8 is written as Latin-1, if a reader decodes that as the same text. Readers take bytes that
 * are not UTF-8 for Latin-1.
 */
export function chars(type: TypeDescription, at: (i: number) => unknown, count: number): Encoded {
  const { size } = type;
  const bytes = new Uint8Array(count * size);
  for (let i = 0; i < count; i++) {
    const text = at(i);
    if (isBytes(text)) {
      if (text.length > size) refuseElement(type, text, i, `it has ${text.length} bytes`);
      bytes.set(text, i * size);
      continue;
    }
    if (typeof text !== "string") refuseElement(type, text, i);
    if (!isText(text)) refuseElement(type, text, i, "it is not valid Unicode");
    if (text.endsWith("\0")) refuseElement(type, text, i, "NULs at its end would be lost");
    let own = utf8.encode(text);
    if (own.length > size) own = latin1(text) ?? own;
    if (own.length > size) refuseElement(type, text, i, `it has ${own.length} bytes`);
    bytes.set(own, i * size);
  }
  return { bytes };
}

/**
 * Returns a text with one byte for each character. Returns undefined if a character has no byte, or
 * if the bytes are valid UTF-8.
 */
export function latin1(text: string): Uint8Array<ArrayBuffer> | undefined {
  const bytes = Uint8Array.from(text, (c) => c.charCodeAt(0));
  for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) > 0xff) return undefined;
  try {
    utf8Only.decode(bytes);
    return undefined;
  } catch {
    return bytes;
  }
}

/**
 * Encodes texts of a fixed number of characters as UTF-32, padded with NULs. Halves of surrogate
 * pairs stay unchanged.
 */
export function codePoints(type: TypeDescription, at: (i: number) => unknown, count: number): Encoded {
  const length = type.size / 4;
  const points = new Uint32Array(count * length);
  for (let i = 0; i < count; i++) {
    const text = at(i);
    if (typeof text !== "string") refuseElement(type, text, i);
    if (text.endsWith("\0")) refuseElement(type, text, i, "NULs at its end would be lost");
    let k = 0;
    for (const character of text) {
      if (k < length) points[i * length + k] = character.codePointAt(0) as number;
      k++;
    }
    if (k > length) refuseElement(type, text, i, `it has ${k} characters`);
  }
  return { bytes: new Uint8Array(points.buffer) };
}
