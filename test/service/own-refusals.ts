import { updateUnlogged } from '../../packages/server/src/changes/unlogged.ts';
import { deafUrl } from '../../packages/server/src/connectors/webhooks/testing/test-sender.ts';
import { books } from '../../packages/server/src/db/tables.ts';
import { goodRequest, newName, withBody } from './good-requests.ts';
import type { Answer } from './http-exchange.ts';
import { addUser, type Service } from './started-service.ts';

type Refusals = Readonly<Record<string, (service: Service) => Promise<Answer>>>;

const movedPosition = `/coffer/changes?after=${'a'.repeat(32)}.1.2.0.0`;
const webhook = (id: number): string => `/coffer/webhooks/${id}`;

/** How to get statuses that need more than a request that the operation accepts. */
export const ownStatuses: Refusals = {
  'GET /coffer/changes 410': (service) => service.ask(movedPosition),
  'POST /coffer/webhooks 410': (service) =>
    askPruned(service, 'POST', () => '/coffer/webhooks', { url: deafUrl, after: '1' }),
  'PUT /coffer/webhooks/{id} 410': (service) =>
    askPruned(service, 'PUT', webhook, { enabled: true }),
  'POST /coffer/webhooks/{id}/redeliver 410': (service) =>
    askPruned(service, 'POST', (id) => `${webhook(id)}/redeliver`, { after: '1' }),
};

/** How to get the examples of refusals, by the operation, the status and the name of the example. */
export const ownRefusals: Refusals = {
  'getChanges 410 moved': ownStatuses['GET /coffer/changes 410']!,
  'createWebhook 410 pruned': ownStatuses['POST /coffer/webhooks 410']!,
  'updateWebhook 410 pruned': ownStatuses['PUT /coffer/webhooks/{id} 410']!,
  'redeliverWebhook 410 pruned': ownStatuses['POST /coffer/webhooks/{id}/redeliver 410']!,
};

/** Sends a request of a user whose whole change log was pruned, and who has a webhook. */
async function askPruned(
  service: Service,
  method: string,
  path: (id: number) => string,
  body: object,
): Promise<Answer> {
  const as = await addUser(service.engine, newName().replace(' ', '-'));
  const { target } = await goodRequest(service, 'GET /coffer/webhooks/{id}', as);
  await service.ask('/v2/tags', withBody('POST', { name: newName() }, as));
  await service.engine.write(() => updateUnlogged(books, { id: as.bookId }, { pruned_version: 2 }));
  const id = Number(target.split('/').at(-1));
  return service.ask(path(id), withBody(method, body, as));
}
