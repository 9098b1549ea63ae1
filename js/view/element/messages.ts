/** Formats a count with separated thousands. */
export function formatCount(n: number): string {
  return Number.isFinite(n) ? String(Math.round(n)).replace(/\B(?=(\d{3})+(?!\d))/g, "\u202f") : "very many";
}

/** Formats bytes in the unit that keeps the number below 1024. */
export function formatBytes(bytes: number): string {
  if (!Number.isFinite(bytes)) return "more than can be counted";
  const units = ["B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];
  const unit = Math.min(units.length - 1, Math.max(0, Math.floor(Math.log2(Math.max(1, bytes)) / 10)));
  const value = bytes / 1024 ** unit;
  return `${unit === 0 ? value : value.toFixed(value < 10 ? 2 : value < 100 ? 1 : 0)} ${units[unit]}`;
}

/** Titles for errors, by their names. The error's own message says what happened. */
const titles: Readonly<Record<string, string>> = {
  NotFoundError: "Nothing found at this address",
  InvalidMetadataError: "The metadata is not valid",
  MetadataChangedError: "The data changed while it was read",
  UnknownCodecError: "Unknown codec",
  CodecPipelineError: "A chunk cannot be decoded",
  InvalidSelectionError: "The selection does not fit the data",
  UnsupportedError: "This cannot be shown",
  StoreError: "The store cannot be read",
  HttpError: "The server's answer is not valid",
  LimitError: "This exceeds a limit",
  EngineError: "The reader failed",
};

/** Describes an error: its name, a title, its message, and a hint if there is one. */
export function errorWords(error: unknown): { name: string; title: string; text: string; hint: string } {
  const { name = "Error", message = String(error), hint } = Object(error) as Partial<Error & { hint: string }>;
  return { name, title: titles[name] ?? "Something went wrong", text: message, hint: hint ?? "" };
}

/** Reports whether another attempt fails in the same way. */
export const isFinal = (error: unknown): boolean => (Object(error) as Error).name === "UnsupportedError";

/** Reports whether an error only reports an abort. */
export const isAbort = (error: unknown): boolean => (Object(error) as Error).name === "AbortError";
