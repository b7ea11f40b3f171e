import { folded } from './fold.ts';
import { LANGUAGES } from './index.ts';

/** Numbers of the months by name. A name of different months in two languages, such as `listopad`, is left out. */
function monthNumbers(): ReadonlyMap<string, number> {
  const numbers = new Map<string, number>();
  const shared = new Set<string>();
  for (const { months = '' } of LANGUAGES) {
    for (const [index, names] of months.split('|').entries()) {
      for (const name of names.split('/').map(folded)) {
        if ((numbers.get(name) ?? index + 1) !== index + 1) shared.add(name);
        numbers.set(name, index + 1);
      }
    }
  }
  for (const name of shared) numbers.delete(name);
  return numbers;
}

const MONTHS = monthNumbers();

/** The number of a month, 1 to 12, by its name or abbreviation in any known language; null for any other word. */
export function monthOf(name: string): number | null {
  return MONTHS.get(folded(name)) ?? null;
}
