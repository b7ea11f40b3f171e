import { request } from './request.ts';

/** The undo of a change. Source: POST /coffer/undo. */
interface Undone {
  readonly undoes: number;
}

/**
 * Takes back the last changes that this session made, the newest first.
 *
 * Throws an ApiError with status 404 when there is nothing to take back, and 409 when records were changed since.
 */
export async function undoLast(count = 1): Promise<void> {
  for (let done = 0; done < count; done += 1)
    await request<Undone>('POST', '/coffer/undo', { body: {} });
}
