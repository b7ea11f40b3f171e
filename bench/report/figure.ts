/** A measured figure, with its goal if it has one. Both bounds are inclusive. */
export interface Figure {
  readonly name: string;
  readonly value: number;
  readonly unit: string;
  readonly atLeast?: number | undefined;
  readonly atMost?: number | undefined;
  /** Only for the file of results, not for the reference. */
  readonly isDetail?: boolean;
}

export function isMet({ value, atLeast = -Infinity, atMost = Infinity }: Figure): boolean {
  return value >= atLeast && value <= atMost;
}

export function printFigure(figure: Figure): string {
  const { name, value, unit } = figure;
  const digits = value >= 1000 ? 0 : 3;
  const goal = goalOf(figure, String);
  const mark = goal === '' ? ' ' : isMet(figure) ? '✔' : '✖';
  return `${mark} ${name.padEnd(52)} ${value.toFixed(digits).padStart(9)} ${unit.padEnd(16)} ${goal}`;
}

export function goalOf({ atLeast, atMost }: Figure, text: (goal: number) => string): string {
  if (atMost !== undefined) return `at most ${text(atMost)}`;
  return atLeast === undefined ? '' : `at least ${text(atLeast)}`;
}
