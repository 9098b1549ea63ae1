// The box of a volume, its axes and its slices as lines.
import type { Viewport } from "../element/camera.js";
import type { Theme } from "../plot/theme.js";
import type { Pen } from "../take/svg.js";
import { type Eye, pointOf } from "./camera.js";
import type { Ends } from "./clip.js";
import { each, type Solid, type Three } from "./solid.js";

/** A corner of a box: 0 or 1 along each axis. */
type Corner = Three<0 | 1>;

const corners = Array.from({ length: 8 }, (_, i) => [i & 1, (i >> 1) & 1, i >> 2] as unknown as Corner);

/** Draws the edges of the visible part, the names of its axes, and the outlines of slices. */
export function drawLines(
  pen: Pen,
  solid: Solid,
  eye: Eye,
  view: Viewport,
  ends: Ends,
  slices: Three<number | null>,
  { ink, accent, paper, font }: Pick<Theme, "ink" | "accent" | "paper" | "font">,
): void {
  const place = (at: Three) => pointOf(solid, eye, view, at);
  const corner = (at: Corner) => place(each(at, (end, i) => ends[i][0] + end * (ends[i][1] + 1 - ends[i][0])));
  /** Draws a line with a border, which is visible on every ground. */
  const line = (points: readonly { x: number; y: number }[], colour: string, width: number) => {
    for (const [stroke, wide] of [
      [paper, width + 2],
      [colour, width],
    ] as const) {
      pen.strokeStyle = stroke;
      pen.lineWidth = wide;
      pen.beginPath();
      for (const [i, { x, y }] of points.entries()) {
        if (i === 0) pen.moveTo(x, y);
        else pen.lineTo(x, y);
      }
      pen.stroke();
    }
  };
  pen.save();
  // The farthest corner's edges lie behind the volume.
  const far = corners.reduce((a, b) => (corner(b).depth > corner(a).depth ? b : a));
  for (const from of corners)
    for (const k of [0, 1, 2] as const) {
      if (from[k] === 1) continue;
      const to = each(from, (end, i) => (i === k ? 1 : end));
      const behind = [from, to].some((at) => at.every((end, i) => end === far[i]));
      pen.globalAlpha = behind ? 0.25 : 0.6;
      line([corner(from), corner(to)], ink, 1);
    }
  pen.globalAlpha = 1;
  for (const k of [0, 1, 2] as const) {
    const index = slices[k];
    if (index === null || index < ends[k][0] || index > ends[k][1]) continue;
    const other = k === 0 ? 1 : 0;
    const at = (u: 0 | 1, v: 0 | 1) =>
      place(each(ends, ([first, last], i) => (i === k ? index + 0.5 : (i === other ? u : v) === 0 ? first : last + 1)));
    line([at(0, 0), at(1, 0), at(1, 1), at(0, 1), at(0, 0)], accent, 1.5);
  }
  pen.fillStyle = ink;
  pen.font = `12px ${font}`;
  pen.textAlign = "center";
  pen.textBaseline = "middle";
  const middle = place(each(ends, ([first, last]) => (first + last + 1) / 2));
  for (const k of [0, 1, 2] as const) {
    // The name stands beside the outermost edge along the axis, and rather below the box.
    const edges = corners
      .filter((at) => at[k] === 0 && !at.every((end, i) => i === k || end === far[i]))
      .map((at) => {
        const [p, q] = [corner(at), corner(each(at, (end, i) => (i === k ? 1 : end)))];
        return { x: (p.x + q.x) / 2, y: (p.y + q.y) / 2 };
      });
    const outside = ({ x, y }: { x: number; y: number }) => Math.hypot(x - middle.x, y - middle.y) + 0.1 * y;
    const edge = edges.reduce((one, other) => (outside(other) > outside(one) ? other : one));
    const away = Math.hypot(edge.x - middle.x, edge.y - middle.y) || 1;
    const by = 14 / away;
    pen.fillText(solid.names[k], edge.x + (edge.x - middle.x) * by, edge.y + (edge.y - middle.y) * by);
  }
  pen.restore();
}
