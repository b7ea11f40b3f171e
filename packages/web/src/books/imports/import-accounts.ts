/** What a preview says about accounts. */
interface Named {
  readonly accounts: readonly { readonly name: string | null }[];
  readonly format: string | null;
  readonly options: { readonly account?: string };
  readonly remembered: { readonly account?: string };
}

/**
 * Returns the end of an account number in a name that the server has made from it; empty if there is none. The server
 * wants four characters.
 */
function numberAtEnd(name: string): string {
  let start = name.length;
  while (/^[0-9]$/.test(name[start - 1] ?? '')) start -= 1;
  return name.length - start < 4 ? '' : name.slice(start);
}

/**
 * Whether a person can choose another account for rows of a file: for rows without one, for the only account of a file,
 * and for one whose name ends with its number. Tables name the accounts of their rows in a column, which stays.
 */
export function canName(
  { accounts, format, options, remembered }: Named,
  name: string | null,
): boolean {
  if (name === null) return true;
  const isTable = format === 'csv' || format === 'xlsx' || format === 'html';
  if (isTable) return (options.account ?? remembered.account) === name;
  return accounts.length === 1 || numberAtEnd(name) !== '';
}

/** The option `account` with another name for the rows of one account. */
export function accountLines(
  { accounts, options }: Named,
  name: string | null,
  next: string,
): string {
  if (accounts.length === 1 || name === null) return next;
  const number = numberAtEnd(name);
  const others = (options.account ?? '').split('\n').filter((line) => line.includes('='));
  return [...others.filter((line) => !line.startsWith(`${number}=`)), `${number}=${next}`].join(
    '\n',
  );
}
