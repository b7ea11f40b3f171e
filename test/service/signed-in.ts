import { addSession } from '../../packages/server/src/operations/testing/outside-records.ts';
import type { GoodRequest } from './json-requests.ts';
import type { Service } from './started-service.ts';
import type { User } from './service-books.ts';

/** Whether a path is about signing in, where an access token is not enough. */
export function isOfUsers(path: string): boolean {
  return /^\/coffer\/(session|sessions|password|passkeys|tokens|backups|sources|book)(\/|\?|$)/.test(
    path,
  );
}

/** Returns a request of a browser in which the user has just signed in with a link, under the name localhost. */
export async function signedIn(
  { engine, port }: Service,
  method: string,
  body: unknown,
  as: User,
): Promise<GoodRequest['asking']> {
  const text = await addSession(engine, as);
  const headers = [
    'Host',
    `localhost:${port}`,
    'Cookie',
    `coffer_${port}=${text}`,
    'Sec-Fetch-Site',
    'same-origin',
    'Content-Type',
    'application/json',
  ];
  const sent = body === undefined ? {} : { body: JSON.stringify(body) };
  return { method, as: null, headers, ...sent };
}

export function withText({ target, asking }: GoodRequest, body: string): GoodRequest {
  const headers = isOfUsers(target) ? (asking.headers ?? []) : ['Content-Type', 'application/json'];
  return { target, asking: { ...asking, headers, body } };
}

export function unauthorized({ ada }: Service, { target, asking }: GoodRequest): GoodRequest {
  const wrong = { ...ada, token: 'x' };
  return { target, asking: { ...asking, as: isOfUsers(target) ? wrong : null } };
}

/** Returns the same request from another site; a GET or DELETE with a token in place of the cookie. */
export function forbidden({ ada }: Service, request: GoodRequest): GoodRequest {
  const { target, asking } = request;
  const isByPage = asking.method === 'POST' || asking.method === 'PUT';
  if (isByPage) return withHeaders(request, { 'Sec-Fetch-Site': 'cross-site' });
  return { target, asking: { ...asking, as: ada } };
}

export function misdirected({ port }: Service, request: GoodRequest): GoodRequest {
  return withHeaders(request, { Host: `books.example:${port}` });
}

function withHeaders({ target, asking }: GoodRequest, changes: Readonly<Record<string, string>>) {
  const headers = [...(asking.headers ?? [])];
  for (const [name, value] of Object.entries(changes)) {
    const at = headers.indexOf(name);
    if (at === -1) headers.push(name, value);
    else headers[at + 1] = value;
  }
  return { target, asking: { ...asking, headers } };
}
