import type { PartPlan } from './measure/plan.ts';
import type { Figure } from './report/figure.ts';

/** The parts that read the large book, which they must leave as it is. */
export const withBook = ['search', 'starts', 'pages', 'postgres'];

/**
 * The parts in the order in which they run.
 *
 * Each runs in its own process, so that none is slower for what another has left in memory. Its modules are loaded
 * there: with the Redis driver in the process, for example, limiter hits are a third slower.
 */
export const parts: Readonly<Record<string, (plan: PartPlan) => Promise<Figure[]>>> = {
  limiter: async (plan) => (await import('./limiter.ts')).measureLimiter(plan),
  capacity: async ({ stamp }) => (await import('./capacity/capacity.ts')).measureCapacity(stamp),
  history: async ({ folder }) => (await import('./history/history.ts')).measureHistory(folder),
  search: async (plan) => (await import('./search/search.ts')).measureSearch(plan),
  imports: async ({ folder }) => (await import('./imports.ts')).measureImports(folder),
  previews: async ({ folder }) => (await import('./previews.ts')).measurePreviews(folder),
  'change-log': async ({ folder }) => (await import('./change-log.ts')).measureChangeLog(folder),
  'as-of': async ({ folder }) => (await import('./as-of.ts')).measureAsOf(folder),
  writes: async ({ folder }) => (await import('./writes.ts')).measureWrites(folder),
  sets: async ({ folder }) => (await import('./sets.ts')).measureSets(folder),
  requests: async (plan) => (await import('./requests/requests.ts')).measureRequests(plan),
  peers: async ({ folder }) => (await import('./peers/peers.ts')).measurePeers(folder),
  growth: async (plan) => (await import('./growth/growth.ts')).measureGrowth(plan),
  stalls: async (plan) => (await import('./stalls/stalls.ts')).measureStalls(plan),
  starts: async ({ workspace }) => (await import('./starts.ts')).measureStarts(workspace),
  proofs: async (plan) => (await import('./proofs.ts')).measureProofs(plan),
  pages: async (plan) => (await import('./pages.ts')).measurePages(plan),
  postgres: async (plan) => (await import('./postgres.ts')).measurePostgres(plan),
};
