import type { CurrencyCode } from '../../operations/currencies.ts';
import { ok } from '../../operations/responses.ts';
import { read } from '../../operations/operation.ts';
import type { Operation } from '../../operations/operation.ts';
import type { Identity } from '../../operations/caller.ts';
import { Me } from './schema.ts';

export const meRoutes: readonly Operation[] = [
  read(
    {
      id: 'getMe',
      path: '/v2/me',
      tag: 'me',
      summary: 'Get the current user',
      description: 'Returns the user and the book of the access token.',
      response: ok(Me, 'The user and the book.'),
    },
    // Authentication has read everything already.
    function* ({ identity }) {
      return toWire(identity);
    },
    // The user's name and the token's label change without the book.
    { isOneStatement: true, state: (identity) => JSON.stringify(toWire(identity)) },
  ),
];

/** Returns the user and the book of a caller. */
export function toWire({ user, book, token }: Identity): Me {
  return {
    name: user.name,
    email: user.email,
    id: user.id,
    account_id: book.id,
    budget_name: book.name,
    // Books are created with supported currencies only.
    primary_currency: book.primaryCurrency as CurrencyCode,
    api_key_label: token?.label ?? null,
  };
}
