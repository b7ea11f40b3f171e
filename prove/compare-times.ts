import { Agent } from 'node:http';
import { ask } from './ask.ts';
import type { Outcome } from './check.ts';
import { targetOf, type IdPosition } from './id-positions.ts';
import type { MarkedOwner } from './two-books.ts';

const samples = 500;
/** By chance a rank sum is as far off as this once in 3 million comparisons. */
const mostDeviations = 5;

interface Timing {
  readonly url: string;
  readonly owners: readonly [MarkedOwner, MarkedOwner];
  readonly positions: readonly IdPosition[];
  readonly unusedId: number;
}

/** Whether times tell a record of another book from one that is not there: a rank-sum test for each place. */
export async function compareTimes(timing: Timing): Promise<Outcome> {
  const problems: string[] = [];
  let furthest = 0;
  for (const position of timing.positions) {
    if (position.kind === null) continue;
    const deviations = await compareAt(timing, position);
    furthest = Math.max(furthest, Math.abs(deviations));
    if (Math.abs(deviations) > mostDeviations)
      problems.push(
        `${position.path} ${position.place}: times are ${deviations.toFixed(1)} σ apart`,
      );
  }
  const figure = `times of 2 × ${samples} answers at most ${furthest.toFixed(1)} σ apart`;
  return { figure, problems };
}

async function compareAt(timing: Timing, position: IdPosition): Promise<number> {
  const { url, owners, unusedId } = timing;
  const [owner, { token }] = owners;
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const { method } = position;
  const timeOf = async (id: number): Promise<number> => {
    const startedMs = performance.now();
    await ask(url + targetOf(position, id), { method, token, agent });
    return performance.now() - startedMs;
  };
  const foreign: number[] = [];
  const unused: number[] = [];
  const ids = owner.ids[position.kind!];
  for (let n = 0; n < samples; n += 1) {
    const id = ids[n % ids.length]!;
    // In turn, and first one and then the other: what slows the machine down slows both.
    if (n % 2 === 0) foreign.push(await timeOf(id));
    unused.push(await timeOf(unusedId + (n % ids.length)));
    if (n % 2 === 1) foreign.push(await timeOf(id));
  }
  agent.destroy();
  return rankSumDeviations(foreign, unused);
}

/** How many standard deviations the ranks of the first are off. Source: Mann and Whitney (1947). */
function rankSumDeviations(first: readonly number[], second: readonly number[]): number {
  const all = [
    ...first.map((value) => ({ value, isFirst: true })),
    ...second.map((value) => ({ value, isFirst: false })),
  ].sort((a, b) => a.value - b.value);
  const rankSum = all.reduce((sum, { isFirst }, at) => sum + (isFirst ? at + 1 : 0), 0);
  const [n, m] = [first.length, second.length];
  const u = rankSum - (n * (n + 1)) / 2;
  return (u - (n * m) / 2) / Math.sqrt((n * m * (n + m + 1)) / 12);
}
