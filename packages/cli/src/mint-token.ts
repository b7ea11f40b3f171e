import { newToken } from '@coffer/server';
import type { Book, Store } from '@coffer/server';

/** A label for a new token, and when it ends; null for never. */
export interface TokenPlan {
  readonly label: string | null;
  /** The first instant at which the token is dead, ISO 8601 in UTC; null for never. */
  readonly expiresAt: string | null;
  readonly now: Date;
}

/** Makes an access token for a book and returns its text, which the store never has. */
export async function mintToken(store: Store, book: Book, plan: TokenPlan): Promise<string> {
  const { text, hash } = newToken();
  await store.createToken({
    userId: book.userId,
    bookId: book.id,
    hash,
    label: plan.label,
    nowIso: plan.now.toISOString(),
    expiresAt: plan.expiresAt,
  });
  return text;
}
