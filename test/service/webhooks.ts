import { updateUnlogged } from '../../packages/server/src/changes/unlogged.ts';
import { deafUrl } from '../../packages/server/src/connectors/webhooks/testing/test-sender.ts';
import { books } from '../../packages/server/src/db/tables.ts';
import { goodRequest } from './good-requests.ts';
import type { Answer } from './http-exchange.ts';
import { newName, withBody } from './recipes.ts';
import { addUser, type Service } from './started-service.ts';

type Ask = (service: Service) => Promise<Answer>;

const all = '/coffer/webhooks';

/** Requests of a user whose whole change log was pruned, and who has a webhook. */
function askPruned(method: string, rest: string | null, body: object): Ask {
  return async (service) => {
    const as = await addUser(service.engine, newName().replace(' ', '-'));
    const { target } = await goodRequest(service, 'GET /coffer/webhooks/{id}', as);
    await service.ask('/v2/tags', withBody('POST', { name: newName() }, as));
    await service.engine.write(() =>
      updateUnlogged(books, { id: as.bookId }, { pruned_version: 2 }),
    );
    return service.ask(rest === null ? all : target + rest, withBody(method, body, as));
  };
}

const pruned = {
  create: askPruned('POST', null, { url: deafUrl, after: '1' }),
  update: askPruned('PUT', '', { enabled: true }),
  redeliver: askPruned('POST', '/redeliver', { after: '1' }),
};

/** How to get statuses that webhooks have for their own reasons. */
export const webhookStatuses: Readonly<Record<string, Ask>> = {
  'POST /coffer/webhooks 410': pruned.create,
  'PUT /coffer/webhooks/{id} 410': pruned.update,
  'POST /coffer/webhooks/{id}/redeliver 410': pruned.redeliver,
};

/** How to get the refusals of webhooks that the documents show; `keyless` is a service without an encryption key. */
export function webhookRefusals(
  service: Service,
  keyless: Service,
): Record<string, () => Promise<Answer>> {
  return {
    'createWebhook 409 noKey': () => keyless.ask(all, withBody('POST', { url: deafUrl })),
    'rotateWebhookSecret 409 noKey': () => keyless.ask(`${all}/1/rotate`, { method: 'POST' }),
    'createWebhook 410 pruned': () => pruned.create(service),
    'updateWebhook 410 pruned': () => pruned.update(service),
    'redeliverWebhook 410 pruned': () => pruned.redeliver(service),
  };
}
