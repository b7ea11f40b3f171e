import type { ImportOptions, ImportPreview } from '../books/types.ts';
import { connection } from './connection.ts';
import { isOffline, ApiError } from './errors.ts';
import { request } from './request.ts';

/** A file that this page sends or has sent. */
export interface Upload {
  readonly key: number;
  readonly file: File;
  /** Options that a person has chosen. */
  readonly options: ImportOptions;
  readonly state: 'waiting' | 'sending' | 'sent' | 'refused';
  /** From 0 to 1. */
  readonly progress: number;
  /** The preview that the server made of it; null until then. */
  readonly previewId: number | null;
  /** Why it was refused; null otherwise. */
  readonly error: unknown;
  /** Whether the screen has opened its preview, or another one of the same files. */
  readonly isSeen: boolean;
}

type Send = typeof sendFile;

/**
 * The files that were given to this page, sent one after another.
 *
 * A file stays here after it was sent, so that it can be read again in another way. A file that does not reach the
 * server is sent again when the server is back.
 */
export class Uploads {
  readonly #send: Send;
  readonly #reachable: () => Promise<void>;
  readonly #listeners = new Set<() => void>();
  #lastKey = 0;
  #last = Promise.resolve();
  state: readonly Upload[] = [];

  constructor(send: Send = sendFile, reachable = () => connection.ready()) {
    this.#send = send;
    this.#reachable = reachable;
  }

  /** Calls the listener after each change. Returns what ends that. */
  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** Adds files behind those that wait. */
  add(files: readonly File[], options: ImportOptions = {}): void {
    const added = files.map((file): Upload => {
      this.#lastKey += 1;
      const fresh = { progress: 0, previewId: null, error: null, isSeen: false };
      return { key: this.#lastKey, file, options, state: 'waiting', ...fresh };
    });
    this.#set([...this.state, ...added]);
    for (const { key } of added) this.#queue(key);
  }

  /** Sends a refused file again, perhaps with other options. */
  retry(key: number, options: ImportOptions): void {
    this.#change(key, { options, state: 'waiting', progress: 0, error: null });
    this.#queue(key);
  }

  /** Forgets a file that is not being sent. */
  remove(key: number): void {
    this.#set(this.state.filter((upload) => upload.key !== key || upload.state === 'sending'));
  }

  /** Marks all files as seen. */
  seeAll(): void {
    if (this.state.some(({ isSeen }) => !isSeen))
      this.#set(this.state.map((upload) => ({ ...upload, isSeen: true })));
  }

  /** The file of a preview, if this page sent it. */
  of(previewId: number): Upload | undefined {
    return this.state.find((upload) => upload.previewId === previewId);
  }

  /**
   * Reads a file in another way, and resolves to its new preview. What the page knows of the file is that preview from
   * then on. Rejects, and changes nothing, when the server refuses.
   */
  async readAgain(previewId: number, file: File, options: ImportOptions): Promise<ImportPreview> {
    const preview = await this.#send(file, { options });
    const known = this.of(previewId);
    this.#lastKey += 1;
    const sent = { progress: 1, previewId: preview.id, error: null, isSeen: true };
    const key = known?.key ?? this.#lastKey;
    const upload: Upload = { key, file, options, state: 'sent', ...sent };
    this.#set([...this.state.filter((each) => each.key !== key), upload]);
    return preview;
  }

  /** Sends a file after those before it. */
  #queue(key: number): void {
    this.#last = this.#last.then(() => this.#sendOne(key));
  }

  async #sendOne(key: number): Promise<void> {
    const upload = this.state.find((each) => each.key === key);
    if (upload === undefined) return;
    this.#change(key, { state: 'sending' });
    const onSent = (bytes: number, of: number): void =>
      this.#change(key, { progress: of === 0 ? 1 : bytes / of });
    try {
      const { id } = await this.#send(upload.file, { options: upload.options, onSent });
      this.#change(key, { state: 'sent', progress: 1, previewId: id });
    } catch (error) {
      if (!isOffline(error)) {
        this.#change(key, { state: 'refused', error });
        return;
      }
      this.#change(key, { state: 'waiting', progress: 0 });
      await this.#reachable();
      await this.#sendOne(key);
    }
  }

  #change(key: number, part: Partial<Upload>): void {
    this.#set(this.state.map((upload) => (upload.key === key ? { ...upload, ...part } : upload)));
  }

  #set(state: readonly Upload[]): void {
    this.state = state;
    for (const listener of this.#listeners) listener();
  }
}

/** The uploads of this page. */
export const uploads = new Uploads();

/** How a file is sent. */
interface Sending {
  /** Options that differ from what the server finds in the file or remembers. */
  readonly options: ImportOptions;
  /** Called with the bytes that have left, and all of them. */
  readonly onSent?: (bytes: number, of: number) => void;
}

/**
 * Sends a bank file, and resolves to its preview, which may still be made. Rejects with an ApiError whose problems say
 * what is wrong with the file.
 *
 * If only some rows are bad, they become a part of the preview: a person sees them, and decides. That is the second
 * attempt, because a file is first read as a whole: what is remembered of earlier files is used only if it fits it.
 */
async function sendFile(file: File, sending: Sending): Promise<ImportPreview> {
  const { options } = sending;
  try {
    return await post(file, sending);
  } catch (error) {
    if (options.skip_bad_rows !== undefined || !hasBadRows(error)) throw error;
    const preview = await post(file, { ...sending, options: { ...options, skip_bad_rows: true } });
    if (preview.status !== 'ready' || preview.verdicts.bad < rowsOf(preview)) return preview;
    // All rows are bad: then the file is read in a wrong way, and the problems say so.
    await request('DELETE /coffer/imports/{id}', { path: { id: preview.id } });
    throw error;
  }
}

function rowsOf({ verdicts }: ImportPreview): number {
  return Object.values(verdicts).reduce((sum, count) => sum + count, 0);
}

/** Whether a file was refused because of values in its rows, and not because it can be read in several ways. */
function hasBadRows(error: unknown): boolean {
  if (!(error instanceof ApiError) || error.status !== 400 || error.problems.length === 0)
    return false;
  return error.problems.every((problem) => {
    const { column, reason } = problem as { readonly column?: unknown; readonly reason?: unknown };
    return typeof column === 'string' && !String(reason).startsWith('Could be');
  });
}

function post(file: File, { options, onSent }: Sending): Promise<ImportPreview> {
  const form = new FormData();
  // Fields before the file, so that the server knows them when it arrives.
  for (const [name, value] of Object.entries(options)) form.set(name, String(value));
  form.set('file', file, file.name);
  return request('POST /coffer/imports', {
    body: form,
    transport: (url, init) => sendByXhr(url, init, onSent),
  });
}

/** Does what `fetch` does; only this older interface says how much of a body has left. */
function sendByXhr(url: string, init: RequestInit, onSent: Sending['onSent']): Promise<Response> {
  const { promise, resolve, reject } = Promise.withResolvers<Response>();
  const xhr = new XMLHttpRequest();
  xhr.open(init.method ?? 'POST', url);
  for (const [name, value] of Object.entries(init.headers as Record<string, string>))
    xhr.setRequestHeader(name, value);
  xhr.upload.onprogress = ({ loaded, total }) => onSent?.(loaded, total);
  xhr.onload = () => {
    const { status, statusText } = xhr;
    resolve(new Response(xhr.responseText, { status, statusText, headers: headersOf(xhr) }));
  };
  xhr.onerror = () => reject(new TypeError('The request failed'));
  xhr.send(init.body as FormData);
  return promise;
}

function headersOf(xhr: XMLHttpRequest): [name: string, value: string][] {
  const lines = xhr
    .getAllResponseHeaders()
    .split('\r\n')
    .filter((line) => line !== '');
  return lines.map((line) => line.split(/: (.*)/, 2) as [string, string]);
}
