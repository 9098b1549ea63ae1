/**
 * The checksum contributions of each byte value, followed by zero, one, two or three other bytes.
 */
let tables: Uint32Array[] | undefined;

function makeTables(): Uint32Array[] {
  const made = [0, 1, 2, 3].map(() => new Uint32Array(256));
  const [first] = made as [Uint32Array];
  for (let i = 0; i < 256; i++) {
    let crc = i;
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
    first[i] = crc;
  }
  for (let n = 1; n < 4; n++) {
    const [before, table] = [made[n - 1], made[n]] as [Uint32Array, Uint32Array];
    for (let i = 0; i < 256; i++) {
      const crc = before[i] as number;
      table[i] = (crc >>> 8) ^ (first[crc & 255] as number);
    }
  }
  return made;
}

/** Returns the CRC-32 of bytes, as in zip archives. Computes four bytes at a time. */
export function crc32(bytes: Uint8Array): number {
  tables ??= makeTables();
  const [t0, t1, t2, t3] = tables as [Uint32Array, Uint32Array, Uint32Array, Uint32Array];
  const { length } = bytes;
  const fours = length & ~3;
  let crc = -1;
  let i = 0;
  for (; i < fours; i += 4) {
    crc ^=
      (bytes[i] as number) |
      ((bytes[i + 1] as number) << 8) |
      ((bytes[i + 2] as number) << 16) |
      ((bytes[i + 3] as number) << 24);
    crc =
      (t3[crc & 255] as number) ^
      (t2[(crc >>> 8) & 255] as number) ^
      (t1[(crc >>> 16) & 255] as number) ^
      (t0[crc >>> 24] as number);
  }
  for (; i < length; i++) crc = (crc >>> 8) ^ (t0[(crc ^ (bytes[i] as number)) & 255] as number);
  return ~crc >>> 0;
}
