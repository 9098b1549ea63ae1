import type { Field } from "../../describe/field.js";
import type { Layer, Painter, Placed, Style, Texture } from "../paint/painter.js";
import { createTiles } from "../tiles/create.js";
import type { Cost, Tile, Tiles, TilesEvents, TilesOptions, Wanted } from "../tiles/tiles.js";

/** Bytes of textures that are kept beyond those that are drawn. */
const SPARE = 96 << 20;

/** The textures of tiles: those that are drawn, and the latest of the others. */
class Textures {
  readonly #painter: Painter;
  readonly #kept = new Map<string, { readonly tile: Tile; readonly texture: Texture }>();
  #bytes = 0;

  constructor(painter: Painter) {
    this.#painter = painter;
  }

  /** The texture of a tile. The map's order is that of use. */
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

  /** Gives back what was used longest ago, but none of the latest `drawn`. */
  trim(drawn: number): void {
    let spare = this.#kept.size - drawn;
    for (const [key, { texture }] of this.#kept) {
      if (this.#bytes <= SPARE || spare-- <= 0) return;
      this.#kept.delete(key);
      this.#free(texture);
    }
  }

  /** Gives all back. */
  clear(): void {
    for (const { texture } of this.#kept.values()) this.#free(texture);
    this.#kept.clear();
  }

  #free(texture: Texture): void {
    this.#bytes -= texture.bytes;
    this.#painter.free(texture);
  }
}

/** How one channel is drawn. */
export interface ChannelStyle {
  readonly channel: number;
  readonly style: Style;
}

/** A field's tiles on their way to a painter. */
export class TileLayer {
  /** What it is of. */
  readonly field: Field;
  /** Where its tiles come from. */
  readonly tiles: Tiles;
  readonly #textures: Textures;

  constructor(field: Field, painter: Painter, events: TilesEvents, options: TilesOptions = {}) {
    this.field = field;
    this.#textures = new Textures(painter);
    this.tiles = createTiles(field, events, options);
  }

  /** What reading would cost. */
  cost(wanted: Wanted): Cost {
    return this.tiles.cost(wanted);
  }

  /** The layers of what is here, one for each style. `scale` is how many elements of the ground one of this field covers. */
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
    // Where nothing is here, what was drawn before may still be.
    if (ready.length > 0) this.#textures.trim(layers.reduce((n, { tiles }) => n + tiles.length, 0));
    return layers;
  }

  /** Ends everything. */
  close(): void {
    this.tiles.close();
    this.#textures.clear();
  }
}
