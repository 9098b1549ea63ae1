/** Something known about a node, from its metadata or by a rule. */
export interface Fact<T> {
  /** The known value. */
  readonly value: T;
  /** Whether metadata state the value or a rule of this package guesses it. */
  readonly by: "stated" | "guessed";
  /** The stating attribute or the guessing rule, in a few words. */
  readonly why: string;
}

/** @internal */
export const stated = <T>(value: T, why: string): Fact<T> => ({ value, by: "stated", why });

/** @internal */
export const guessed = <T>(value: T, why: string): Fact<T> => ({ value, by: "guessed", why });
