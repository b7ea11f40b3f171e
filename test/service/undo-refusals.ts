import { changing } from '../../packages/server/src/changes/changing.ts';
import { find } from '../../packages/server/src/db/rows.ts';
import { transactions } from '../../packages/server/src/db/tables.ts';
import { goodRequest, idOf, withBody } from './good-requests.ts';
import type { Answer } from './http-exchange.ts';
import { addImport } from './made-records.ts';
import { newName } from './recipes.ts';
import type { Service } from './started-service.ts';

/** How to get the conflicts of an undo: records were changed or removed since. */
export const undoRefusals: Readonly<Record<string, (service: Service) => Promise<Answer>>> = {
  'undoImport 409 changed': async (service) => {
    const id = await addImport(service.engine, service.ada);
    const { text } = await service.ask(
      '/v2/transactions?limit=1&start_date=2026-01-04&end_date=2026-01-04',
    );
    const [row] = (JSON.parse(text) as { transactions: { id: number }[] }).transactions;
    await service.ask(`/v2/transactions/${row!.id}`, withBody('PUT', { notes: 'n' }));
    return service.ask(`/coffer/imports/${id}/undo`, { method: 'POST' });
  },
  'undoChange 409 changed': async (service) =>
    service.ask(`/coffer/history/${await changedSince(service)}/undo`, { method: 'POST' }),
  'undoLastChange 409 changed': async (service) => {
    await changedSince(service);
    return service.ask('/coffer/undo', { method: 'POST' });
  },
  'undoChange 409 undone': async (service) => {
    const { target } = await goodRequest(service, 'POST /coffer/history/{version}/undo');
    await service.ask(target, { method: 'POST' });
    return service.ask(target, { method: 'POST' });
  },
  'redoImport 409 removed': async (service) => {
    const name = newName();
    const category = idOf(await service.ask('/v2/categories', withBody('POST', { name })));
    const target = `/coffer/imports/${await addImport(service.engine, service.ada, name)}`;
    await service.ask(`${target}/undo`, { method: 'POST' });
    await service.ask(`/v2/categories/${category}`, { method: 'DELETE' });
    return service.ask(`${target}/redo`, { method: 'POST' });
  },
};

/** Creates a transaction, which somebody else changes, and returns the version that created it. */
async function changedSince(service: Service): Promise<number> {
  const row = { date: '2026-01-05', amount: '1', payee: newName() };
  const created = await service.ask('/v2/transactions', withBody('POST', { transactions: [row] }));
  const { id } = (JSON.parse(created.text) as { transactions: { id: number }[] }).transactions[0]!;
  const { text } = await service.ask(`/coffer/transactions/${id}/history`);
  const { history } = JSON.parse(text) as { history: { version: number }[] };
  const cause = { bookId: service.ada.bookId, actor: 'command', operation: 'test' };
  await service.engine.write(() =>
    changing(cause, function* (change) {
      const found = yield* find(transactions, { book_id: change.bookId, id });
      yield* change.update(transactions, found!, { notes: 'n' });
    }),
  );
  return history[0]!.version;
}
