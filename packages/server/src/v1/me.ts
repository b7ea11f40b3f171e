import { ok } from '../operations/responses.ts';
import { exampleOf, object } from '../operations/schema.ts';
import { formsV1 } from './refusals.ts';
import { read, type Operation } from '../operations/operation.ts';
import { Me, toWire } from '../identity/me/routes.ts';

const { name: user_name, email: user_email, id: user_id, ...ofBook } = Me.properties;

/** The user and the book of an access token, as v1 names them. */
const MeV1 = object(
  'MeV1',
  'The user and the book of the access token.',
  { user_name, user_email, user_id, ...ofBook },
  { example: inV1(exampleOf(Me)) },
);

export const meRoutesV1: readonly Operation[] = [
  read(
    {
      id: 'getMeV1',
      path: '/v1/me',
      tag: 'me',
      summary: 'Get the current user',
      v1: formsV1.others,
      response: ok(MeV1, 'The user and the book.'),
    },
    function* ({ identity }) {
      return inV1(toWire(identity));
    },
    { isOneStatement: true, state: (identity) => JSON.stringify(toWire(identity)) },
  ),
];

function inV1({ name, email, id, ...rest }: Me) {
  return { user_name: name, user_email: email, user_id: id, ...rest };
}
