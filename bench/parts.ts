import type { PartPlan } from './measure/plan.ts';
import type { Figure } from './report/figure.ts';
import type { Workspace } from './measure/workspace.ts';

interface Part {
  readonly usesBook: boolean;
  readonly measure: (plan: PartPlan) => Promise<Figure[]>;
}

/**
 * The parts in the order in which they run.
 *
 * Each runs in its own process, so that none is slower for what another has left in memory. Its modules are loaded
 * there: with the Redis driver in the process, for example, limiter hits are a third slower.
 */
export const parts: Readonly<Record<string, Part>> = {
  limiter: alone(async () => (await import('./limiter.ts')).measureLimiter()),
  capacity: alone(async ({ stamp }) =>
    (await import('./capacity/capacity.ts')).measureCapacity(stamp),
  ),
  history: alone(async (plan) =>
    (await import('./history/history.ts')).measureHistory(plan.folder),
  ),
  search: withBook(async (workspace, plan) =>
    (await import('./search/search.ts')).measureSearch(workspace, plan),
  ),
  imports: alone(async (plan) => (await import('./imports.ts')).measureImports(plan.folder)),
  'change-log': alone(async ({ folder }) =>
    (await import('./change-log.ts')).measureChangeLog(folder),
  ),
  'as-of': alone(async (plan) => (await import('./as-of.ts')).measureAsOf(plan.folder)),
  writes: alone(async (plan) => (await import('./writes.ts')).measureWrites(plan.folder)),
  requests: alone(async (plan) => (await import('./requests/requests.ts')).measureRequests(plan)),
  peers: alone(async ({ folder }) => (await import('./peers/peers.ts')).measurePeers(folder)),
  growth: alone(async (plan) => (await import('./growth/growth.ts')).measureGrowth(plan)),
  starts: withBook(async (workspace) => (await import('./starts.ts')).measureStarts(workspace)),
  pages: withBook(async (workspace, { rows }) =>
    (await import('./pages.ts')).measurePages(workspace, rows),
  ),
  postgres: withBook(async (workspace, { rows }) =>
    (await import('./postgres.ts')).measurePostgres(workspace, rows),
  ),
};

function alone(measure: (plan: PartPlan) => Promise<Figure[]>): Part {
  return { usesBook: false, measure };
}

function withBook(measure: (workspace: Workspace, plan: PartPlan) => Promise<Figure[]>): Part {
  return { usesBook: true, measure: (plan) => measure(plan.workspace!, plan) };
}
