/** Smallest id of a record, inclusive. */
export const minId = 1;
/** Largest id of a record, inclusive: 2^53 - 1, the largest integer that every JSON parser keeps exactly. */
export const maxId = Number.MAX_SAFE_INTEGER;

/** Whether the value can be the id of a record: an integer from {@link minId} to {@link maxId}. */
export function isId(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= minId;
}
