import { opener } from '../../parts/overlays/opener.ts';

const form = opener<true>();

/** Opens the form for a new transaction, from every screen and by a key. */
export const adding = { open: (): void => form.open(true), close: form.close };

/** Whether the form for a new transaction is open. */
export function useIsAdding(): boolean {
  return form.useShown() !== null;
}
