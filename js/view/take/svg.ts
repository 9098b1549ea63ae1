/** The drawing context of figures: the methods common to a canvas's context and {@link SvgPen}. */
export type Pen = Pick<
  CanvasRenderingContext2D,
  | "save"
  | "restore"
  | "translate"
  | "rotate"
  | "scale"
  | "beginPath"
  | "moveTo"
  | "lineTo"
  | "closePath"
  | "rect"
  | "arc"
  | "stroke"
  | "fillRect"
  | "strokeRect"
  | "fillText"
  | "strokeText"
  | "measureText"
  | "setLineDash"
  | "fillStyle"
  | "strokeStyle"
  | "lineWidth"
  | "lineJoin"
  | "lineCap"
  | "font"
  | "textAlign"
  | "textBaseline"
  | "globalAlpha"
  | "imageSmoothingEnabled"
> & {
  /** Fills the path. */
  fill(): void;
  /** Clips the following drawing to the path. */
  clip(): void;
  /** Draws an image into a rectangle. */
  drawImage(image: HTMLCanvasElement, x: number, y: number, width: number, height: number): void;
};

type Matrix = readonly [a: number, b: number, c: number, d: number, e: number, f: number];

interface Style {
  fillStyle: string;
  strokeStyle: string;
  lineWidth: number;
  lineJoin: CanvasLineJoin;
  lineCap: CanvasLineCap;
  font: string;
  textAlign: CanvasTextAlign;
  textBaseline: CanvasTextBaseline;
  globalAlpha: number;
  imageSmoothingEnabled: boolean;
}

interface Saved extends Style {
  matrix: Matrix;
  dash: readonly number[];
  clips: number;
}

const style: Style = {
  fillStyle: "#000",
  strokeStyle: "#000",
  lineWidth: 1,
  lineJoin: "miter",
  lineCap: "butt",
  font: "10px sans-serif",
  textAlign: "start",
  textBaseline: "alphabetic",
  globalAlpha: 1,
  imageSmoothingEnabled: true,
};

const entities: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };
/** Escapes text for markup. Removes characters that XML forbids. */
const escaped = (text: string) =>
  text
    .replace(/[\ud800-\udfff]/gu, "\ufffd")
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what XML does not have
    .replace(/[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/g, "")
    .replace(/[&<>"]/g, (sign) => entities[sign] ?? sign);
const n = (value: number) => String(Math.round(value * 1000) / 1000);

/**
 * Returns a colour as an attribute. Its opacity is a separate attribute, for programs that do not
 * read CSS.
 */
function painted(name: "fill" | "stroke", colour: string): string {
  const found = /^rgba?\(([\d.]+)[ ,]+([\d.]+)[ ,]+([\d.]+)(?:[ ,/]+([\d.]+)(%?))?\)$/.exec(colour);
  if (!found) return `${name}="${escaped(colour)}"`;
  const [, r, g, b, alpha, percent] = found;
  const opacity = alpha === undefined ? 1 : Number(alpha) / (percent ? 100 : 1);
  return `${name}="rgb(${r},${g},${b})"${opacity < 1 ? ` ${name}-opacity="${n(opacity)}"` : ""}`;
}

/** A canvas context that records SVG, so that code for canvases draws vectors too. */
export class SvgPen implements Pen, Style {
  fillStyle: string = style.fillStyle;
  strokeStyle: string = style.strokeStyle;
  lineWidth: number = style.lineWidth;
  lineJoin: CanvasLineJoin = style.lineJoin;
  lineCap: CanvasLineCap = style.lineCap;
  font: string = style.font;
  textAlign: CanvasTextAlign = style.textAlign;
  textBaseline: CanvasTextBaseline = style.textBaseline;
  globalAlpha: number = style.globalAlpha;
  imageSmoothingEnabled: boolean = style.imageSmoothingEnabled;
  readonly #measure: (text: string, font: string) => number;
  readonly #out: string[] = [];
  #matrix: Matrix = [1, 0, 0, 1, 0, 0];
  #dash: readonly number[] = [];
  /** The number of clip groups since the last save. */
  #clips = 0;
  #saved: Saved[] = [];
  #path: string[] = [];
  #ids = 0;

  /** `measure` returns the width of a text in a font. */
  constructor(measure: (text: string, font: string) => number) {
    this.#measure = measure;
  }

  /** Returns the drawing as a document of this size, with a title. */
  document(width: number, height: number, title: string): string {
    while (this.#saved.length > 0) this.restore();
    return `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" width="${n(width)}" height="${n(height)}" viewBox="0 0 ${n(width)} ${n(height)}"><title>${escaped(title)}</title>${this.#out.join("\n")}${"</g>".repeat(this.#clips)}</svg>\n`;
  }

  save(): void {
    const { fillStyle, strokeStyle, lineWidth, lineJoin, lineCap, font, textAlign, textBaseline, globalAlpha } = this;
    const own = { fillStyle, strokeStyle, lineWidth, lineJoin, lineCap, font, textAlign, textBaseline, globalAlpha };
    const { imageSmoothingEnabled } = this;
    this.#saved.push({ ...own, imageSmoothingEnabled, matrix: this.#matrix, dash: this.#dash, clips: this.#clips });
    this.#clips = 0;
  }

  restore(): void {
    const saved = this.#saved.pop();
    if (!saved) return;
    this.#out.push("</g>".repeat(this.#clips));
    const { matrix, dash, clips, ...own } = saved;
    Object.assign(this, own);
    this.#matrix = matrix;
    this.#dash = dash;
    this.#clips = clips;
  }

  #by(of: Matrix): void {
    const [a, b, c, d, e, f] = this.#matrix;
    const [g, h, i, j, k, l] = of;
    this.#matrix = [a * g + c * h, b * g + d * h, a * i + c * j, b * i + d * j, a * k + c * l + e, b * k + d * l + f];
  }

  translate(x: number, y: number): void {
    this.#by([1, 0, 0, 1, x, y]);
  }

  rotate(angle: number): void {
    const [c, s] = [Math.cos(angle), Math.sin(angle)];
    this.#by([c, s, -s, c, 0, 0]);
  }

  scale(x: number, y: number): void {
    this.#by([x, 0, 0, y, 0, 0]);
  }

  setLineDash(dash: readonly number[]): void {
    this.#dash = [...dash];
  }

  #at(x: number, y: number): string {
    const [a, b, c, d, e, f] = this.#matrix;
    return `${n(a * x + c * y + e)} ${n(b * x + d * y + f)}`;
  }

  beginPath(): void {
    this.#path = [];
  }

  moveTo(x: number, y: number): void {
    this.#path.push(`M${this.#at(x, y)}`);
  }

  lineTo(x: number, y: number): void {
    this.#path.push(`${this.#path.length === 0 ? "M" : "L"}${this.#at(x, y)}`);
  }

  closePath(): void {
    this.#path.push("Z");
  }

  rect(x: number, y: number, width: number, height: number): void {
    this.moveTo(x, y);
    this.lineTo(x + width, y);
    this.lineTo(x + width, y + height);
    this.lineTo(x, y + height);
    this.closePath();
  }

  /** Approximated by pieces of 5 degrees, so that full circles need no special case. */
  arc(x: number, y: number, radius: number, from: number, to: number, back = false): void {
    const turn = back ? -((from - to + 4 * Math.PI) % (2 * Math.PI) || 2 * Math.PI) : to - from;
    const pieces = Math.max(1, Math.ceil(Math.abs(turn) / (Math.PI / 36)));
    for (let i = 0; i <= pieces; i++) {
      const angle = from + (turn * i) / pieces;
      this.lineTo(x + radius * Math.cos(angle), y + radius * Math.sin(angle));
    }
  }

  #alpha(): string {
    return this.globalAlpha < 1 ? ` opacity="${n(this.globalAlpha)}"` : "";
  }

  #stroked(): string {
    const [a, b] = this.#matrix;
    const dash = this.#dash.length > 0 ? ` stroke-dasharray="${this.#dash.map(n).join(" ")}"` : "";
    const join = this.lineJoin === "miter" ? "" : ` stroke-linejoin="${this.lineJoin}"`;
    const cap = this.lineCap === "butt" ? "" : ` stroke-linecap="${this.lineCap}"`;
    return `${painted("stroke", this.strokeStyle)} stroke-width="${n(this.lineWidth * Math.hypot(a, b))}"${dash}${join}${cap}`;
  }

  stroke(): void {
    if (this.#path.length > 0)
      this.#out.push(`<path d="${this.#path.join("")}" fill="none" ${this.#stroked()}${this.#alpha()}/>`);
  }

  fill(): void {
    if (this.#path.length > 0)
      this.#out.push(`<path d="${this.#path.join("")}" ${painted("fill", this.fillStyle)}${this.#alpha()}/>`);
  }

  clip(): void {
    const id = `clip${++this.#ids}`;
    this.#out.push(`<clipPath id="${id}"><path d="${this.#path.join("")}"/></clipPath><g clip-path="url(#${id})">`);
    this.#clips++;
  }

  /** Draws a rectangle without changing the path. */
  #rectangle(x: number, y: number, width: number, height: number, draw: () => void): void {
    const path = this.#path;
    this.#path = [];
    this.rect(x, y, width, height);
    draw();
    this.#path = path;
  }

  fillRect(x: number, y: number, width: number, height: number): void {
    this.#rectangle(x, y, width, height, () => this.fill());
  }

  strokeRect(x: number, y: number, width: number, height: number): void {
    this.#rectangle(x, y, width, height, () => this.stroke());
  }

  measureText(text: string): TextMetrics {
    return { width: this.#measure(text, this.font) } as TextMetrics;
  }

  #text(text: string, x: number, y: number, most: number | undefined, paint: string): void {
    const width = this.#measure(text, this.font);
    const [, weight = "", size = "10", family = "sans-serif"] =
      /^(?:(bold|\d{3}) )?(?:normal )?([\d.]+)px(?:\/\S+)? (.*)$/.exec(this.font) ?? [];
    const anchor = { center: "middle", right: "end", end: "end" }[this.textAlign as string];
    // The baseline's offset as a share of the font size, typical of browsers.
    const drop = { top: 0.78, hanging: 0.78, middle: 0.33, bottom: -0.22, ideographic: -0.2 }[
      this.textBaseline as string
    ];
    const [a, b, c, d, e, f] = this.#matrix;
    const matrix = `matrix(${[a, b, c, d, a * x + c * y + e, b * x + d * y + f].map(n).join(" ")})`;
    const narrow = most !== undefined && width > most ? ` textLength="${n(most)}" lengthAdjust="spacingAndGlyphs"` : "";
    this.#out.push(
      `<text transform="${matrix}"${drop ? ` dy="${n(drop * Number(size))}"` : ""}${anchor ? ` text-anchor="${anchor}"` : ""} font-family="${escaped(family)}" font-size="${size}"${weight ? ` font-weight="${weight}"` : ""}${narrow} ${paint}${this.#alpha()} xml:space="preserve">${escaped(text)}</text>`,
    );
  }

  fillText(text: string, x: number, y: number, most?: number): void {
    this.#text(text, x, y, most, painted("fill", this.fillStyle));
  }

  strokeText(text: string, x: number, y: number, most?: number): void {
    this.#text(text, x, y, most, `fill="none" ${this.#stroked()}`);
  }

  drawImage(image: HTMLCanvasElement, x: number, y: number, width: number, height: number): void {
    const [a, b, c, d, e, f] = this.#matrix;
    const smooth = this.imageSmoothingEnabled ? "" : ' style="image-rendering:pixelated"';
    this.#out.push(
      `<image x="${n(x)}" y="${n(y)}" width="${n(width)}" height="${n(height)}" preserveAspectRatio="none" transform="matrix(${[a, b, c, d, e, f].map(n).join(" ")})"${smooth}${this.#alpha()} xlink:href="${image.toDataURL("image/png")}"/>`,
    );
  }
}
