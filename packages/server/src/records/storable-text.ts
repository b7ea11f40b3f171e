import type { ImportEntry } from './import.ts';

/**
 * An entry with texts that every engine gives back as it got them: NUL characters are taken out, and half of a
 * surrogate pair, which is no character, becomes U+FFFD.
 *
 * The entry itself when there is nothing to change.
 */
export function storableEntry(entry: ImportEntry): ImportEntry {
  const { bankId } = entry;
  const texts = [entry.payee, entry.notes, entry.category, entry.account, entry.externalId];
  if (texts.every(isStorable) && isStorable(bankId?.id ?? null)) return entry;
  return {
    ...entry,
    payee: storable(entry.payee),
    notes: orNull(entry.notes),
    category: orNull(entry.category),
    account: orNull(entry.account),
    externalId: orNull(entry.externalId),
    ...(bankId !== undefined && { bankId: { ...bankId, id: storable(bankId.id) } }),
  };
}

function isStorable(text: string | null): boolean {
  return text === null || (text.isWellFormed() && !text.includes('\0'));
}

function storable(text: string): string {
  return text.replaceAll('\0', '').toWellFormed();
}

/** What has nothing in it but NUL characters says nothing. */
function orNull(text: string | null): string | null {
  return text === null ? null : storable(text) || null;
}
