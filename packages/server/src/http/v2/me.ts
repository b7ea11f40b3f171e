import type { Identity } from '../../records/identity.ts';
import type { Route } from '../api.ts';

/** GET /v2/me. */
export function meRoutes(): Route[] {
  return [
    {
      method: 'GET',
      path: '/v2/me',
      // The user's name and the token's label change without the book.
      state: meJson,
      answer: ({ identity }) => Promise.resolve([Buffer.from(meJson(identity))]),
    },
  ];
}

function meJson({ user, book, token }: Identity): string {
  return JSON.stringify({
    name: user.name,
    email: user.email,
    id: user.id,
    account_id: book.id,
    budget_name: book.name,
    primary_currency: book.primaryCurrency,
    api_key_label: token.label,
  });
}
