// What stands below a picture when series are asked for.
import type { Rectangle } from "../axes/draw.js";
import { el } from "../dom.js";
import type { Pen } from "../take/svg.js";
import type { ViewWorker } from "../worker/viewworker.js";
import { type PlanePoint, type SeriesEvents, type SeriesOf, SeriesPlot } from "./series.js";

/** Series of the points that are clicked, and the profile to a point that is clicked with Shift. */
export class Beside {
  readonly #element = el("div", { class: "beside" });
  readonly #series: SeriesPlot;
  #last: PlanePoint | null = null;

  /** The worker is its own: it closes it. */
  constructor(host: HTMLElement, worker: ViewWorker, events: SeriesEvents) {
    this.#series = new SeriesPlot(this.#element, worker, events);
    host.appendChild(this.#element);
  }

  /** Says what the picture shows. */
  of(of: SeriesOf): void {
    this.#series.of(of);
  }

  /** A point of the picture was clicked. */
  click(point: PlanePoint, more: boolean): void {
    if (more && this.#last) this.#series.profile(this.#last, point);
    else this.#series.add(point);
    this.#last = point;
  }

  /** Draws the points that have series, and the line of a profile, inside a rectangle; `place` says where a point is. */
  draw(
    pen: Pen,
    { x, y, width, height }: Rectangle,
    paper: string,
    place: (x: number, y: number) => { readonly x: number; readonly y: number },
  ): void {
    const marks = this.#series.marks.map((mark) => ({ ...place(mark.x + 0.5, mark.y + 0.5), colour: mark.colour }));
    const [from, to] = marks;
    if (!from) return;
    pen.save();
    pen.beginPath();
    pen.rect(x, y, width, height);
    pen.clip();
    for (const [thick, colour] of [
      [4, paper],
      [2, from.colour],
    ] as const) {
      if (!this.#series.isProfile || !to) break;
      pen.lineWidth = thick;
      pen.strokeStyle = colour;
      pen.beginPath();
      pen.moveTo(from.x, from.y);
      pen.lineTo(to.x, to.y);
      pen.stroke();
    }
    for (const mark of marks) {
      pen.beginPath();
      pen.arc(mark.x, mark.y, 5, 0, 2 * Math.PI);
      pen.fillStyle = mark.colour;
      pen.fill();
      pen.lineWidth = 2;
      pen.strokeStyle = paper;
      pen.stroke();
    }
    pen.restore();
  }

  /** Ends everything and leaves the page. */
  close(): void {
    this.#series.close();
    this.#element.remove();
  }
}
