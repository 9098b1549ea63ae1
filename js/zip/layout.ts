// The parts of an archive other than its members' bytes, after PKWARE's APPNOTE.TXT. Numbers that
// do not fit are in the records of zip64.

/** A member of an archive, stored without compression. */
export interface Member {
  /** Its name, in UTF-8. */
  name: Uint8Array;
  /** The offset of its header in bytes. */
  offset: number;
  size: number;
  crc: number;
}

const most16 = 2 ** 16 - 1;
const most32 = 2 ** 32 - 1;
const plainVersion = 20;
const zip64Version = 45;
/** The host system is Unix, so readers take the file permissions from the entry. */
const unix = 3 << 8;
/** A regular file that all users may read. */
const file = 0o100644 * 2 ** 16;
const utf8Names = 1 << 11;
/** 1980-01-01, a fixed date: equal writes produce equal bytes. */
const firstDay = (1 << 5) | 1;

/** A little-endian integer: its size in bytes and its value. */
type Field = readonly [bytes: 2 | 4 | 8, value: number];

function fields(all: readonly Field[], ...then: Uint8Array[]): Uint8Array<ArrayBuffer> {
  const head = all.reduce((sum, [bytes]) => sum + bytes, 0);
  const made = new Uint8Array(then.reduce((sum, { length }) => sum + length, head));
  const view = new DataView(made.buffer);
  let at = 0;
  for (const [bytes, value] of all) {
    if (bytes === 2) view.setUint16(at, value, true);
    else if (bytes === 4) view.setUint32(at, value, true);
    else view.setBigUint64(at, BigInt(value), true);
    at += bytes;
  }
  for (const part of then) {
    made.set(part, at);
    at += part.length;
  }
  return made;
}

/** Returns the extra field with the numbers that do not fit elsewhere (4.5.3). */
function extraOf(large: readonly number[]): Uint8Array {
  if (large.length === 0) return new Uint8Array(0);
  return fields([[2, 1], [2, 8 * large.length], ...large.map((n): Field => [8, n])]);
}

/** Returns the header before a member's bytes (4.3.7). */
export function localHeader({ name, size, crc }: Omit<Member, "offset">): Uint8Array<ArrayBuffer> {
  const isLarge = size >= most32;
  const extra = extraOf(isLarge ? [size, size] : []);
  const shown = isLarge ? most32 : size;
  return fields(
    [
      [4, 0x04034b50],
      [2, isLarge ? zip64Version : plainVersion],
      [2, utf8Names],
      [2, 0],
      [2, 0],
      [2, firstDay],
      [4, crc],
      [4, shown],
      [4, shown],
      [2, name.length],
      [2, extra.length],
    ],
    name,
    extra,
  );
}

/** Returns a member's entry in the directory (4.3.12). */
function entryOf({ name, offset, size, crc }: Member): Uint8Array {
  const large = [...(size >= most32 ? [size, size] : []), ...(offset >= most32 ? [offset] : [])];
  const extra = extraOf(large);
  const version = large.length > 0 ? zip64Version : plainVersion;
  const shown = Math.min(size, most32);
  return fields(
    [
      [4, 0x02014b50],
      [2, unix | version],
      [2, version],
      [2, utf8Names],
      [2, 0],
      [2, 0],
      [2, firstDay],
      [4, crc],
      [4, shown],
      [4, shown],
      [2, name.length],
      [2, extra.length],
      [2, 0],
      [2, 0],
      [2, 0],
      [4, file],
      [4, Math.min(offset, most32)],
    ],
    name,
    extra,
  );
}

/**
 * Returns the parts after the members, which end at the offset `at`: the directory and the end
 * records (4.3.14 to 4.3.16).
 */
export function directoryOf(members: readonly Member[], at: number): Uint8Array<ArrayBuffer>[] {
  const entries = members.map(entryOf);
  const size = entries.reduce((sum, { length }) => sum + length, 0);
  const count = members.length;
  const parts = [fields([], ...entries)];
  if (count >= most16 || size >= most32 || at >= most32) {
    parts.push(
      fields([
        [4, 0x06064b50],
        [8, 44],
        [2, unix | zip64Version],
        [2, zip64Version],
        [4, 0],
        [4, 0],
        [8, count],
        [8, count],
        [8, size],
        [8, at],
        [4, 0x07064b50],
        [4, 0],
        [8, at + size],
        [4, 1],
      ]),
    );
  }
  const shown = Math.min(count, most16);
  parts.push(
    fields([
      [4, 0x06054b50],
      [2, 0],
      [2, 0],
      [2, shown],
      [2, shown],
      [4, Math.min(size, most32)],
      [4, Math.min(at, most32)],
      [2, 0],
    ]),
  );
  return parts;
}
