import { keys } from '../../api/keys.ts';
import { request } from '../../api/request.ts';
import { createTexts as t } from '../../texts/en/parts.ts';
import { showFailure, useOwnChanges } from './own-changes.ts';

/** Creates what a picker does not have yet, and gives its id to `use`. What fails is shown. */
export interface Creating {
  readonly category: (name: string, use: (id: number) => void) => void;
  readonly tag: (name: string, use: (id: number) => void) => void;
  readonly account: (name: string, currency: string, use: (id: number) => void) => void;
}

/** Creates categories, tags and accounts with nothing but a name, from where they are chosen. */
export function useCreating(): Creating {
  const { change } = useOwnChanges(keys.categories, keys.tags, keys.accounts);
  const create = (
    name: string,
    write: () => Promise<{ readonly id: number }>,
    use: (id: number) => void,
  ): void => {
    void change(write, t.created(name)).then(({ id }) => use(id), showFailure);
  };
  return {
    category: (name, use) =>
      create(name, () => request('POST /v2/categories', { body: { name } }), use),
    tag: (name, use) => create(name, () => request('POST /v2/tags', { body: { name } }), use),
    account: (name, currency, use) => {
      const body = { name, currency: currency as 'usd', type: 'cash', balance: '0' } as const;
      create(name, () => request('POST /v2/manual_accounts', { body }), use);
    },
  };
}
