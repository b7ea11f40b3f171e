import { day, newName, withBody } from './recipes.ts';
import type { Answer } from './http-exchange.ts';
import type { Service } from './started-service.ts';

type Ask = (service: Service) => Promise<Answer>;

/** Sends a row that exists already. */
const again: Ask = async (service) => {
  const transactions = [{ date: day, amount: 2, payee: newName(), external_id: newName() }];
  const body = { transactions, skip_duplicates: true };
  await service.ask('/v1/transactions', withBody('POST', body));
  return service.ask('/v1/transactions', withBody('POST', body));
};

/** How to get statuses of operations of v1 that a missing record does not lead to. */
export const statusesV1: Readonly<Record<string, Ask>> = {
  'GET /v1/transactions 404': (service) => service.ask(`/v1/transactions?start_date=${day}`),
  'POST /v1/transactions 204': again,
  'POST /v1/transactions 404': (service) =>
    service.ask('/v1/transactions', withBody('POST', { transactions: [{}] })),
  'GET /v1/transactions/group 404': (service) =>
    service.ask('/v1/transactions/group?transaction_id=87654321'),
  'POST /v1/transactions/group 404': (service) =>
    service.ask('/v1/transactions/group', withBody('POST', { transactions: [1] })),
  ...Object.fromEntries(
    ['recurring_items', 'recurring_expenses'].map((noun): [string, Ask] => [
      `GET /v1/${noun} 404`,
      (service) => service.ask(`/v1/${noun}?start_date=soon`),
    ]),
  ),
};

/** How to get the examples of refusals in the document of v1. */
export const refusalsV1: Readonly<Record<string, Ask>> = {
  'BadRequestV1 syntax': (service) =>
    service.ask('/v1/transactions', { ...withBody('POST', {}), body: '{' }),
  'UnauthorizedV1 invalid': (service) => service.ask('/v1/me', { as: null }),
  'RefusedV1 missing': (service) => service.ask('/v1/transactions/87654321'),
  'RefusedV1 invalid': (service) =>
    service.ask('/v1/transactions', withBody('POST', { transactions: [{}] })),
};
