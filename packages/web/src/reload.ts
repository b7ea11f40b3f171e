import { basePath } from './api/request.ts';

const pollMs = 500;

/** Loads the page again when the server has another one: for `npm run web`. */
export function reloadOnChange(): void {
  let known: string | null = null;
  setInterval(() => {
    void fetch(`${basePath()}/`, { method: 'HEAD' }).then(
      ({ headers }) => {
        const tag = headers.get('etag');
        if (known !== null && tag !== known) location.reload();
        known = tag;
      },
      () => undefined,
    );
  }, pollMs);
}
