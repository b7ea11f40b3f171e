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
