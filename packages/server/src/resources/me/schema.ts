import { Type, type Static } from 'typebox';
import type { CurrencyCode } from '../../wire/currencies.ts';
import { id, nullable, object, reference } from '../../wire/schema.ts';

/** Who the access token stands for, and which book it opens. */
export const Me = object(
  'Me',
  'The user and the book behind the access token of the request.',
  {
    name: Type.String({ description: "The user's name." }),
    email: Type.String({ description: "The user's e-mail address." }),
    id: id('The id of the user.'),
    account_id: id('The id of the book: the set of records that this token opens.'),
    budget_name: Type.String({ description: "The book's name." }),
    primary_currency: reference<CurrencyCode>(
      'Currency',
      "The book's main currency; every `to_base` is in it.",
    ),
    api_key_label: nullable(
      Type.String({
        description:
          'The label that was given to this access token when it was made; null when it has none.',
      }),
    ),
  },
  'Me',
);
export type Me = Static<typeof Me>;

const me: Me = {
  name: 'Ada Quill',
  email: 'ada@example.org',
  id: 1,
  account_id: 1,
  budget_name: 'Household',
  primary_currency: 'eur',
  api_key_label: 'laptop',
};

/** Example bodies of GET /v2/me. */
export const meExamples = { token: { summary: 'A token with a label', value: me } };
