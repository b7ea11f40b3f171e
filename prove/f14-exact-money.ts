import { inFolder } from './book.ts';
import type { Check, Outcome } from './check.ts';
import { proveIntegersOnly } from './integers-only.ts';
import { proveJourney } from './money-journey.ts';
import { proveBounds } from './money-bounds.ts';
import { proveSplits } from './money-splits.ts';
import { Random } from './money-model.ts';

const seed = 14;
const mostPerBook = 100_000;

/** Money on its way through all of the service, beside integers without bound. */
export const check: Check = {
  id: 'F14',
  promise:
    'Money is exact: import, sums, splits, API and export agree with integers without bound up to ±(2^53 − 1) ten-thousandths, and 2^53 is refused by line and value',
  rounds: { short: 3_000, full: 1_000_000 },
  async run(amounts) {
    const random = new Random(seed);
    const outcomes: Outcome[] = [];
    for (let done = 0; done < amounts; done += mostPerBook) {
      const count = Math.min(mostPerBook, amounts - done);
      outcomes.push(await inFolder((folder) => proveJourney(folder, count, random)));
    }
    outcomes.push(await inFolder((folder) => proveSplits(folder, amounts / 100, random)));
    outcomes.push(await inFolder(proveBounds), await proveIntegersOnly());
    const problems = outcomes.flatMap((outcome) => outcome.problems);
    const rest = outcomes.slice(-3).map(({ figure }) => figure);
    const figure = `${amounts} amounts there and back (seed ${seed}), ${rest.join(', ')}: ${problems.length} wrong`;
    return { figure, problems };
  },
};
