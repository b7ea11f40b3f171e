import type { CurrencyCode } from '../../operations/currencies.ts';
import { ok } from '../../operations/responses.ts';
import { read, type Operation } from '../../operations/operation.ts';
import type { Identity } from '../../operations/caller.ts';
import type { Static } from 'typebox';
import { Currency, id, nullable, object, reference, text } from '../../operations/schema.ts';

/** The user and the book of an access token. */
export const Me = object(
  'Me',
  'The user and the book of the access token.',
  {
    name: text('Name of the user.'),
    email: text('E-mail address of the user.'),
    id: id('Id of the user.'),
    account_id: id('Id of the book.'),
    budget_name: text('Name of the book.'),
    primary_currency: reference(Currency, 'Currency of the book; every `to_base` is in it.'),
    api_key_label: nullable(text('Label of the access token.')),
  },
  {
    example: {
      name: 'Ada Quill',
      email: 'ada@example.org',
      id: 1,
      account_id: 1,
      budget_name: 'Household',
      primary_currency: 'eur',
      api_key_label: 'laptop',
    },
  },
);
export type Me = Static<typeof Me>;

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
