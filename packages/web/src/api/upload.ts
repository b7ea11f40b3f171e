import { ApiError } from './errors.ts';
import { request } from './request.ts';
import type { ImportOptions, ImportPreview } from './types.ts';

/** How a file is sent. */
export interface Sending {
  /** Options that differ from what the server finds in the file or remembers. */
  readonly options: ImportOptions;
  /** Called with the bytes that have left, and all of them. */
  readonly onSent?: (bytes: number, of: number) => void;
  readonly signal?: AbortSignal;
}

/**
 * Sends a bank file, and resolves to its preview, which may still be made. Rejects with an ApiError whose problems say
 * what is wrong with the file.
 *
 * If only some rows are bad, they become a part of the preview: a person sees them, and decides. That is the second
 * attempt, because a file is first read as a whole: what is remembered of earlier files is used only if it fits it.
 */
export async function sendFile(file: File, sending: Sending): Promise<ImportPreview> {
  const { options } = sending;
  try {
    return await post(file, sending);
  } catch (error) {
    if (options.skip_bad_rows !== undefined || !hasBadRows(error)) throw error;
    const preview = await post(file, { ...sending, options: { ...options, skip_bad_rows: true } });
    if (preview.status !== 'ready' || preview.verdicts.bad < rowsOf(preview)) return preview;
    // All rows are bad: then the file is read in a wrong way, and the problems say so.
    await request('DELETE', `/coffer/imports/${preview.id}`, { body: {} });
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

function post(file: File, { options, onSent, signal }: Sending): Promise<ImportPreview> {
  const form = new FormData();
  // Fields before the file, so that the server knows them when it arrives.
  for (const [name, value] of Object.entries(options)) form.set(name, String(value));
  form.set('file', file, file.name);
  return request('POST', '/coffer/imports', {
    form,
    transport: (url, init) => sendByXhr(url, init, onSent),
    ...(signal !== undefined && { signal }),
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
  xhr.onabort = () => reject(new DOMException('The request was aborted', 'AbortError'));
  init.signal?.addEventListener('abort', () => xhr.abort());
  xhr.send(init.body as FormData);
  return promise;
}

function headersOf(xhr: XMLHttpRequest): Headers {
  const headers = new Headers();
  for (const line of xhr.getAllResponseHeaders().trim().split('\r\n')) {
    const [name = '', ...value] = line.split(':');
    if (name !== '') headers.append(name, value.join(':').trim());
  }
  return headers;
}
