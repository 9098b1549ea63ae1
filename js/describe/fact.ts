/** Something known of a node: said by its metadata, or guessed by a rule. */
export interface Fact<T> {
  /** What is known. */
  readonly value: T;
  /** Whether a convention's metadata say it, or a rule of this package guessed it. */
  readonly by: "stated" | "guessed";
  /** The attribute that states it, or the rule that guessed it, in a few words. */
  readonly why: string;
}

/** @internal */
export const stated = <T>(value: T, why: string): Fact<T> => ({ value, by: "stated", why });

/** @internal */
export const guessed = <T>(value: T, why: string): Fact<T> => ({ value, by: "guessed", why });
