/** What a preview says about accounts. */
interface Named {
  readonly accounts: readonly { readonly name: string | null }[];
  readonly format: string | null;
  readonly options: { readonly account?: string };
  readonly remembered: { readonly account?: string };
}

/** The end of an account number in a name that the server has made from it; the server wants four characters. */
const numberAtEnd = /([0-9]{4,})$/;

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
  return accounts.length === 1 || numberAtEnd.test(name);
}

/** The option `account` with another name for the rows of one account. */
export function accountLines(
  { accounts, options }: Named,
  name: string | null,
  next: string,
): string {
  if (accounts.length === 1 || name === null) return next;
  const number = numberAtEnd.exec(name)?.[1] ?? '';
  const others = (options.account ?? '').split('\n').filter((line) => line.includes('='));
  return [...others.filter((line) => !line.startsWith(`${number}=`)), `${number}=${next}`].join(
    '\n',
  );
}
