import { setTimeout as sleep } from 'node:timers/promises';
import type { ImportRecord } from '../../packages/server/src/imports/operations/schema.ts';
import { ask, type Answer, type Question } from '../../test/service/ask.ts';
import type { Owner } from '../../test/service/owners.ts';
import type { ServerProcess } from '../../test/service/server-process.ts';

const pollMs = 20;
const mostWaitMs = 300_000;

interface Served {
  readonly server: () => ServerProcess;
  readonly owner: Owner;
  /** Requests are repeated while the status is one of `again`, and reject when it is not one of `expected`. */
  readonly expected: readonly number[];
  readonly again?: readonly number[];
}

/** Sends requests about the imports of an owner. */
export class ServedImports {
  readonly #served: Served;

  constructor(served: Served) {
    this.#served = served;
  }

  async send(method: string, path: string, more: Question = {}): Promise<Answer> {
    const { server, owner, expected, again = [] } = this.#served;
    for (;;) {
      const url = `${server().url}/coffer/imports${path}`;
      const answer = await ask(url, { method, token: owner.token, ...more });
      if (expected.includes(answer.status)) return answer;
      if (!again.includes(answer.status))
        throw new Error(
          `${method} ${path} returned ${answer.status}: ${answer.text}${server().log()}`,
        );
      await sleep(pollMs);
    }
  }

  shown(id: number): Promise<ImportRecord> {
    return this.#until(id, () => true);
  }

  /** Sends a file. Resolves to the id of its preview when the file has been read. */
  async preview(query: string, file: Question): Promise<number> {
    const { id } = JSON.parse((await this.send('POST', query, file)).text) as ImportRecord;
    await this.#until(id, ({ preview }) => preview?.status !== 'reading');
    return id;
  }

  startCommit(id: number): Promise<Answer> {
    return this.send('POST', `/${id}/commit`, emptyObject);
  }

  committed(id: number): Promise<ImportRecord> {
    return this.#until(id, ({ preview }) => preview?.status !== 'committing');
  }

  worked(id: number): Promise<ImportRecord> {
    return this.#until(id, ({ work }) => work?.is_under_way !== true);
  }

  async #until(id: number, isWanted: (shown: ImportRecord) => boolean): Promise<ImportRecord> {
    const endMs = performance.now() + mostWaitMs;
    for (;;) {
      const { text } = await this.send('GET', `/${id}`);
      const shown = JSON.parse(text) as ImportRecord;
      if (isWanted(shown)) return shown;
      if (performance.now() > endMs) throw new Error(`Import ${id} stays ${text.slice(0, 500)}`);
      await sleep(pollMs);
    }
  }
}

export const emptyObject = { headers: { 'content-type': 'application/json' }, body: '{}' };
