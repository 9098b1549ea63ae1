/** A generator of integers from 0 to below n. */
export interface Random {
  (n: number): number;
  next(): number;
  of<T>(list: readonly T[]): T;
  int(least: number, most: number): number;
  real(least: number, most: number): number;
  chance(p: number): boolean;
}

export function random(seed: number, number?: number): Random;
