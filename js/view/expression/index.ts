// Expressions of variables. This module is loaded when an expression is shown or written.
import type { Description } from "../../describe/description.js";
import { siblings } from "../computed/siblings.js";
import { ViewWorker } from "../worker/viewworker.js";
import { ExpressionChoice, type ExpressionData } from "./choice.js";
import { expressionField } from "./field.js";

/** Returns the description of a node, with the field of an expression of its variables. */
export async function evaluated<D extends Description>(
  description: D,
  text: string,
  workers: () => ViewWorker,
  signal: AbortSignal,
): Promise<D> {
  const field = await expressionField(description, text, workers, signal);
  return { ...description, title: field.title, field };
}

/** Fills an element with a field for an expression of a node's variables. */
export async function openChoice(
  host: HTMLElement,
  base: Description,
  shown: Omit<ExpressionData, "names" | "listed">,
  chosen: (text: string | undefined) => void,
  signal: AbortSignal,
): Promise<void> {
  const others = await siblings(base, signal);
  if (signal.aborted) return;
  const { name = "" } = base.kind === "array" || base.kind === "image" ? base.field : {};
  const fitting = (others ?? []).filter(({ common }) => common > 0).map((one) => one.name);
  const names = [name || "this", ...fitting];
  const check = async (text: string) => void (await expressionField(base, text, () => new ViewWorker(), signal));
  new ExpressionChoice(host, { ...shown, names, listed: others !== null }, { check, chosen }).input.focus();
}
