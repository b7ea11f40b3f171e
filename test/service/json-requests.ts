import type { Answer } from './http-exchange.ts';
import type { Asking, Service, User } from './started-service.ts';

export interface GoodRequest {
  readonly target: string;
  readonly asking: Asking & { readonly method: string };
}

let names = 0;

export function newName(): string {
  return `Made ${(names += 1)}`;
}

export function withBody(method: string, body: unknown, as?: User): GoodRequest['asking'] {
  const headers = ['Content-Type', 'application/json'];
  return { method, headers, body: JSON.stringify(body), ...(as && { as }) };
}

export function idOf({ status, text }: Answer): number {
  if (status >= 300) throw new Error(`A record was refused with ${status}: ${text}`);
  return (JSON.parse(text) as { id: number }).id;
}

export async function post(
  service: Service,
  path: string,
  body: unknown,
  as: User = service.ada,
): Promise<number> {
  return idOf(await service.ask(path, withBody('POST', body, as)));
}
