/** The value of a field `L` or `S`. */
export interface QifCategory {
  /** Null for a transfer, and if there is none. */
  readonly category: string | null;
  /** The name of the other account of a transfer. */
  readonly transfer: string | null;
  /** The names of its classes. */
  readonly tags: readonly string[];
}

/** Splits `Category:Subcategory/Class` or `[Account]/Class`. `--Split--` is no category. */
export function categoryOf(value: string): QifCategory {
  const transfer = /^\[([^\]]*)\]/.exec(value);
  const rest = value.slice(transfer?.[0].length ?? 0);
  const [name = '', ...classes] = rest.split('/').map((part) => part.trim());
  const tags = classes.filter((tag) => tag !== '');
  if (transfer !== null) return { category: null, transfer: transfer[1]!.trim() || null, tags };
  const isNone = name === '' || /^-+split-+$/i.test(name);
  return { category: isNone ? null : name, transfer: null, tags };
}
