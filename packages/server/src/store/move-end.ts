/** Where a database is that is moved, or is to be. */
export type MoveEnd =
  | { readonly engine: 'sqlite'; readonly path: string }
  | { readonly engine: 'postgres'; readonly url: string };

/** The URL for a session of a move, which is told by its name from those of servers and commands. */
export function sessionUrl(url: string): string {
  const named = new URL(url);
  named.searchParams.set('application_name', 'coffer move');
  return named.href;
}
