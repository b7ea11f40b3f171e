import { formatAmount } from '@coffer/core/money';
import { benchEntries } from '../measure/book.ts';
import type { Measure } from '../measure/turns.ts';
import type { Subject } from './checkout.ts';

const many = 500;
const bulks = 6;
const singles = 100;

interface Row {
  readonly id: number;
  readonly category_id: number;
  readonly manual_account_id: number;
}

/** Requests of one subject that write. They leave the book with the rows that it had. */
export class WriteRequests {
  readonly #subject: Subject;
  #known: Pick<Row, 'category_id' | 'manual_account_id'> | undefined;

  constructor(subject: Subject) {
    this.#subject = subject;
  }

  /** The measures of an insert of one, an insert of 500 and an update of 500. */
  measures(): Record<'insert of 1' | 'insert of 500' | 'update of 500', Measure> {
    return {
      'insert of 1': async () => {
        const ids: number[] = [];
        const cpuMs = await this.#timed(singles, async () => ids.push(...(await this.#insert(1))));
        await this.#remove(ids);
        return cpuMs;
      },
      'insert of 500': async () => {
        const inserted: number[][] = [];
        const cpuMs = await this.#timed(bulks, async () => inserted.push(await this.#insert(many)));
        for (const ids of inserted) await this.#remove(ids);
        return cpuMs;
      },
      'update of 500': async () => {
        const ids = await this.#insert(many);
        let note = 0;
        const cpuMs = await this.#timed(bulks, () => this.#update(ids, (note += 1)));
        await this.#remove(ids);
        return cpuMs;
      },
    };
  }

  async #timed(requests: number, send: () => Promise<unknown>): Promise<number> {
    const before = await this.#subject.server.usage();
    for (let each = 0; each < requests; each += 1) await send();
    return ((await this.#subject.server.usage()).cpuMs - before.cpuMs) / requests;
  }

  async #insert(count: number): Promise<number[]> {
    const [row] = this.#known === undefined ? await this.#fetch('GET', '?limit=1') : [this.#known];
    this.#known = row!;
    const { category_id, manual_account_id } = this.#known;
    const transactions = [...benchEntries(count)].map(({ amount, payee, notes }, at) => ({
      ...{ date: `2025-12-${10 + (at % 19)}`, amount: formatAmount(-amount), payee, notes },
      ...{ category_id, manual_account_id },
    }));
    return (await this.#fetch('POST', '', { transactions })).map(({ id }) => id);
  }

  #update(ids: readonly number[], note: number): Promise<Row[]> {
    const transactions = ids.map((id, at) => ({ id, amount: at, notes: `Note ${note} ${at}` }));
    return this.#fetch('PUT', '', { transactions });
  }

  /** Deletes transactions, at most 500 in a request. */
  async #remove(ids: readonly number[]): Promise<void> {
    await this.#fetch('DELETE', '', { ids });
  }

  async #fetch(method: string, query: string, body?: unknown): Promise<Row[]> {
    const { server, token } = this.#subject;
    const headers = {
      Authorization: `Bearer ${token}`,
      'Content-Type': 'application/json',
      'Accept-Encoding': 'identity',
    };
    const sent = body === undefined ? {} : { body: JSON.stringify(body) };
    const url = `http://127.0.0.1:${server.port}/v2/transactions${query}`;
    const response = await fetch(url, { method, headers, ...sent });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} failed with ${response.status}: ${text}`);
    return text === '' ? [] : (JSON.parse(text) as { transactions: Row[] }).transactions;
  }
}
