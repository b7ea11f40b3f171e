import { gzipSync } from 'node:zlib';
import { importEntries } from '../../packages/server/src/main.ts';
import type { Answer } from './http-exchange.ts';
import { newName } from './recipes.ts';
import { addUser } from './started-service.ts';
import type { Asking, Service, User } from './started-service.ts';

const target = '/coffer/imports';

/** A file with two rows that no other file has. */
export function newFile(): Buffer {
  const name = newName();
  return Buffer.from(`Date,Payee,Amount\n2026-01-06,${name},-1.50\n2026-01-07,${name},-2\n`);
}

function sendFile(service: Service, body: Buffer, more: Partial<Asking> = {}): Promise<Answer> {
  return service.ask(target, {
    method: 'POST',
    headers: ['Content-Type', 'text/csv'],
    body,
    ...more,
  });
}

/** Sends a file and returns the id of its preview. */
export async function addPreview(service: Service, as: User, body = newFile()): Promise<number> {
  const { status, text } = await sendFile(service, body, { as });
  if (status >= 300) throw new Error(`The file was refused: ${text}`);
  return (JSON.parse(text) as { id: number }).id;
}

/** Waits until nobody works on an import. */
async function settled(service: Service, id: number): Promise<void> {
  for (;;) {
    const { text } = await service.ask(`${target}/${id}`);
    const { preview, work } = JSON.parse(text) as {
      preview: { status: string } | null;
      work: { is_under_way: boolean } | null;
    };
    if (work?.is_under_way !== true && !/reading|committing/.test(preview?.status ?? '')) return;
  }
}

/** Imports more rows than are undone at once. */
async function addLargeImport({ engine }: Service, { bookId }: User): Promise<number> {
  const base = { date: '2026-01-08', amount: -1, currency: null, notes: null, category: null };
  const account = newName();
  const entries = Array.from({ length: 2001 }, (_, n) => ({
    ...{ ...base, line: n + 1, payee: `${n}`, account, externalId: null },
  }));
  const plan = { entries: () => entries, defaultAccount: null, dryRun: false, format: 'csv' };
  return (await importEntries(engine, bookId, plan)).importId!;
}

/** How to get statuses that only imports have, or have for their own reasons. */
export const importStatuses: Readonly<Record<string, (service: Service) => Promise<Answer>>> = {
  // A packed file is always read in the background.
  'POST /coffer/imports 202': (service) => sendFile(service, gzipSync(newFile())),
  'POST /coffer/imports 413': (service) => sendFile(service, Buffer.alloc(50 * 2 ** 20 + 200_000)),
  'POST /coffer/imports 415': (service) =>
    sendFile(service, newFile(), { headers: ['Content-Encoding', 'gzip'] }),
  'POST /coffer/imports/{id}/commit 202': async (service) => {
    const id = await addPreview(service, service.ada, gzipSync(newFile()));
    await settled(service, id);
    return service.ask(`${target}/${id}/commit`, { method: 'POST' });
  },
  'DELETE /coffer/imports/{id} 409': async (service) => {
    const id = await addPreview(service, service.ada, gzipSync(newFile()));
    return service.ask(`${target}/${id}`, { method: 'DELETE' });
  },
  'POST /coffer/imports/{id}/undo 202': async (service) => {
    const id = await addLargeImport(service, service.ada);
    return service.ask(`${target}/${id}/undo`, { method: 'POST' });
  },
  'POST /coffer/imports/{id}/redo 202': async (service) => {
    const id = await addLargeImport(service, service.ada);
    await service.ask(`${target}/${id}/undo`, { method: 'POST' });
    await settled(service, id);
    return service.ask(`${target}/${id}/redo`, { method: 'POST' });
  },
  'POST /coffer/history/{version}/undo 202': async (service) => {
    const id = await addLargeImport(service, service.ada);
    const { version } = JSON.parse((await service.ask(`${target}/${id}`)).text) as {
      version: number;
    };
    return service.ask(`/coffer/history/${version}/undo`, { method: 'POST' });
  },
  'POST /coffer/undo 202': async (service) => {
    const name = newName();
    const rows = Array.from({ length: 2100 }, (_, at) => `2026-01-09,${name} ${at},-1\n`);
    const file = gzipSync(`Date,Payee,Amount\n${rows.join('')}`);
    const id = await addPreview(service, service.ada, file);
    await settled(service, id);
    await service.ask(`${target}/${id}/commit`, { method: 'POST' });
    await settled(service, id);
    return service.ask('/coffer/undo', { method: 'POST' });
  },
  'POST /coffer/undo 404': async (service) => {
    const as = await addUser(service.engine, newName().replace(' ', '-'));
    return service.ask('/coffer/undo', { method: 'POST', as });
  },
};

/** How to get the refusals of imports that the documents show. */
export const importRefusals: Readonly<Record<string, (service: Service) => Promise<Answer>>> = {
  'previewImport 413 large': importStatuses['POST /coffer/imports 413']!,
  'previewImport 415 gzip': importStatuses['POST /coffer/imports 415']!,
  'discardImport 409 reading': importStatuses['DELETE /coffer/imports/{id} 409']!,
  'commitImport 409 changed': async (service) => {
    const name = newName();
    const file = Buffer.from(`Date,Payee,Amount\n2026-01-31,${name},-98.76\n`);
    const ids = [
      await addPreview(service, service.ada, file),
      await addPreview(service, service.ada, file),
    ];
    const [, answer] = [
      await service.ask(`${target}/${ids[0]}/commit`, { method: 'POST' }),
      await service.ask(`${target}/${ids[1]}/commit`, { method: 'POST' }),
    ];
    return answer;
  },
};
