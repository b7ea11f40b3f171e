import { setTimeout as sleep } from 'node:timers/promises';
import { ask, type Answer } from '../run/ask.ts';

const pollMs = 50;
const mostMs = 300_000;

/** The part of an import in a response that the checks use. */
export interface ShownImport {
  readonly status: 'imported' | 'undone' | 'preview';
  readonly imported: number;
  readonly work: { readonly is_under_way: boolean; readonly errors: readonly object[] } | null;
  readonly preview: {
    readonly status: 'reading' | 'ready' | 'failed' | 'committing' | 'expired';
    readonly imported: number;
    readonly errors: readonly object[];
  } | null;
}

/** Imports of a book over HTTP, as a web page would use them. */
export class PreviewedFile {
  readonly #url: string;
  readonly #token: string;
  #id = 0;

  constructor(url: string, token: string, id = 0) {
    this.#url = `${url}/coffer/imports`;
    this.#token = token;
    this.#id = id;
  }

  get id(): number {
    return this.#id;
  }

  /** Sends a file, and resolves when its preview is ready. */
  async preview(content: Uint8Array, query = ''): Promise<void> {
    const headers = { 'content-type': 'text/csv' };
    const { text } = await this.#send('POST', query, { headers, body: content }, [201, 202]);
    this.#id = (JSON.parse(text) as { id: number }).id;
    await this.until(({ preview }) => preview?.status !== 'reading');
  }

  /** Starts the import of the preview; resolves when the server has accepted it. */
  async startCommit(): Promise<void> {
    const headers = { 'content-type': 'application/json' };
    await this.#send('POST', `/${this.#id}/commit`, { headers, body: '{}' }, [200, 202]);
  }

  /** Starts the undo of the import; resolves when the server has accepted it. */
  async startUndo(): Promise<void> {
    await this.#send('POST', `/${this.#id}/undo`, {}, [200, 202]);
  }

  /** Resolves to the import as soon as it is as wanted. */
  async until(isWanted: (shown: ShownImport) => boolean): Promise<ShownImport> {
    const endMs = performance.now() + mostMs;
    for (;;) {
      const shown = await this.shown();
      if (isWanted(shown)) return shown;
      if (performance.now() > endMs)
        throw new Error(`Import ${this.#id} stays ${JSON.stringify(shown).slice(0, 500)}`);
      await sleep(pollMs);
    }
  }

  async shown(): Promise<ShownImport> {
    const { text } = await this.#send('GET', `/${this.#id}`, {}, [200]);
    return JSON.parse(text) as ShownImport;
  }

  /** A write that the database refuses for now is repeated. */
  async #send(
    method: string,
    path: string,
    more: { headers?: Record<string, string>; body?: string | Uint8Array },
    expected: readonly number[],
  ): Promise<Answer> {
    for (;;) {
      const answer = await ask(this.#url + path, { method, token: this.#token, ...more });
      if (expected.includes(answer.status)) return answer;
      if (answer.status !== 503)
        throw new Error(`${method} ${path} returned ${answer.status}: ${answer.text}`);
      await sleep(pollMs);
    }
  }
}

/** Returns a statement in CSV with 40 rows for each day, some of them equal. */
export function csvOf(rows: number): Buffer {
  const lines = Array.from({ length: rows }, (_, n) => {
    const date = new Date(Date.UTC(2015, 0, 1 + Math.floor(n / 40))).toISOString().slice(0, 10);
    const account = n % 3 === 0 ? 'Card' : 'Checking';
    return `${date},-${1 + (n % 90)}.50,Shop ${n % 17},${account},Category ${n % 5}`;
  });
  return Buffer.from(`Date,Amount,Payee,Account,Category\n${lines.join('\n')}\n`);
}
