/** A measured figure, with its goal if it has one. Both bounds are inclusive. */
export interface Figure {
  readonly name: string;
  readonly value: number;
  readonly unit: string;
  readonly atLeast?: number;
  readonly atMost?: number;
  /** Only for the file of results, not for the reference. */
  readonly isDetail?: boolean;
}

/** Returns whether the figure has no goal or meets it. */
export function isMet({ value, atLeast = -Infinity, atMost = Infinity }: Figure): boolean {
  return value >= atLeast && value <= atMost;
}

/** Returns one line of the report. */
export function printFigure(figure: Figure): string {
  const { name, value, unit, atLeast, atMost } = figure;
  const digits = value >= 1000 ? 0 : 3;
  let goal = '';
  if (atLeast !== undefined) goal = `at least ${atLeast}`;
  if (atMost !== undefined) goal = `at most ${atMost}`;
  const mark = goal === '' ? ' ' : isMet(figure) ? '✔' : '✖';
  return `${mark} ${name.padEnd(52)} ${value.toFixed(digits).padStart(9)} ${unit.padEnd(16)} ${goal}`;
}
