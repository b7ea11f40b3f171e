import { Agent } from 'node:http';
import { ask } from '../../test/service/ask.ts';
import type { Outcome } from '../run/check.ts';
import type { RecordKind } from '../../packages/server/src/resources/testing/id-places.ts';
import { strangeRequest, unusedId, type Owners, type Place } from './two-owners.ts';

const samples = 500;
/** A rank sum deviates by chance as far as this once in 3 million comparisons. */
const mostDeviations = 5;

export async function compareTimes(
  url: string,
  owners: Owners,
  places: readonly Place[],
): Promise<Outcome> {
  const problems: string[] = [];
  let furthest = 0;
  for (const place of places) {
    const deviations = await compareAt(url, owners, place);
    furthest = Math.max(furthest, Math.abs(deviations));
    if (Math.abs(deviations) > mostDeviations)
      problems.push(`${place.name}: times are ${deviations.toFixed(1)} σ apart`);
  }
  const figure = `times of 2 × ${samples} responses at most ${furthest.toFixed(1)} σ apart`;
  return { figure, problems };
}

async function compareAt(url: string, [owner, stranger]: Owners, place: Place): Promise<number> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const timeOf = async (id: number): Promise<number> => {
    const { target, ...request } = await strangeRequest(place, id, stranger, 'name');
    const startedMs = performance.now();
    await ask(url + target, { ...request, token: stranger.token, agent });
    return performance.now() - startedMs;
  };
  const foreign: number[] = [];
  const unused: number[] = [];
  const ids = owner.ids[place.kind as RecordKind];
  for (let n = 0; n < samples; n += 1) {
    const id = ids[n % ids.length]!;
    // In alternating order, so that a slow machine affects both.
    if (n % 2 === 0) foreign.push(await timeOf(id));
    unused.push(await timeOf(unusedId + (n % ids.length)));
    if (n % 2 === 1) foreign.push(await timeOf(id));
  }
  agent.destroy();
  return rankSumDeviations(foreign, unused);
}

/** Returns the deviation of the ranks of `first`, in standard deviations. Source: Mann and Whitney (1947). */
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
