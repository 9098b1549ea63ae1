import type { Field } from "../../describe/field.js";
import type { Layer, Painter, Placed, Style, Texture } from "../paint/painter.js";
import { createTiles } from "../tiles/create.js";
import type { Cost, Tile, Tiles, TilesEvents, TilesOptions, Wanted } from "../tiles/tiles.js";

/** The budget of textures that are kept but not drawn, in bytes. */
const SPARE = 96 << 20;

/** The textures of tiles: all drawn ones, and the latest of the others. */
class Textures {
  readonly #painter: Painter;
  readonly #kept = new Map<string, { readonly tile: Tile; readonly texture: Texture }>();
  #bytes = 0;

  constructor(painter: Painter) {
    this.#painter = painter;
  }

  /** Returns the texture of a tile. The map is ordered by last use. */
  of(tile: Tile): Texture {
    let entry = this.#kept.get(tile.key);
    this.#kept.delete(tile.key);
    // A tile that was dropped and read again has the same key.
    if (entry && entry.tile.pixels !== tile.pixels) {
      this.#free(entry.texture);
      entry = undefined;
    }
    if (!entry) {
      entry = { tile, texture: this.#painter.load(tile.pixels) };
      this.#bytes += entry.texture.bytes;
    }
    this.#kept.set(tile.key, entry);
    return entry.texture;
  }

  /** Frees the least recently used textures beyond the budget, but none of the latest `drawn`. */
  trim(drawn: number): void {
    let spare = this.#kept.size - drawn;
    for (const [key, { texture }] of this.#kept) {
      if (this.#bytes <= SPARE || spare-- <= 0) return;
      this.#kept.delete(key);
      this.#free(texture);
    }
  }

  /** Frees all textures. */
  clear(): void {
    for (const { texture } of this.#kept.values()) this.#free(texture);
    this.#kept.clear();
  }

  #free(texture: Texture): void {
    this.#bytes -= texture.bytes;
    this.#painter.free(texture);
  }
}

/** The style of one channel. */
export interface ChannelStyle {
  readonly channel: number;
  readonly style: Style;
}

/** Converts a field's tiles to layers of a painter. */
export class TileLayer {
  /** The field. */
  readonly field: Field;
  /** The source of tiles. */
  readonly tiles: Tiles;
  readonly #textures: Textures;

  constructor(field: Field, painter: Painter, events: TilesEvents, options: TilesOptions = {}) {
    this.field = field;
    this.#textures = new Textures(painter);
    this.tiles = createTiles(field, events, options);
  }

  /** Returns the cost of a read. */
  cost(wanted: Wanted): Cost {
    return this.tiles.cost(wanted);
  }

  /**
   * Returns the layers of available tiles, one for each style. `scaleX` and `scaleY` are the
   * elements of the ground that one element of this field covers.
   */
  layers(styles: readonly ChannelStyle[], opacity: number, scaleX = 1, scaleY = 1): Layer[] {
    const ready = this.tiles.ready();
    const layers = styles.map(({ channel, style }): Layer => {
      const placed = ready
        .filter((tile) => tile.channel === channel)
        .map((tile): Placed => {
          const { x, y, width, height } = tile;
          const texture = this.#textures.of(tile);
          return { texture, x: x * scaleX, y: y * scaleY, width: width * scaleX, height: height * scaleY };
        });
      return { tiles: placed, style, opacity };
    });
    // Without new tiles, the old textures may still be drawn.
    if (ready.length > 0) this.#textures.trim(layers.reduce((n, { tiles }) => n + tiles.length, 0));
    return layers;
  }

  /** Ends all reads and frees the textures. */
  close(): void {
    this.tiles.close();
    this.#textures.clear();
  }
}
