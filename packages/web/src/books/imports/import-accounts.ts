/** What a preview says about accounts. */
interface Named {
  readonly accounts: readonly { readonly name: string | null }[];
  readonly options: { readonly account?: string };
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
 * for one whose name ends with its number, and for one that was chosen before.
 */
export function canName({ accounts, options }: Named, name: string | null): boolean {
  if (name === null || accounts.length === 1 || numberAtEnd(name) !== '') return true;
  return linesOf(options.account).some((line) => line.endsWith(`=${name}`));
}

/** The option `account` with another name for the rows of one account. */
export function accountLines(
  { accounts, options }: Named,
  name: string | null,
  next: string,
): string {
  if (accounts.length === 1) return next;
  const lines = linesOf(options.account).filter((line) => line.includes('='));
  const before = lines.find((line) => name !== null && line.endsWith(`=${name}`));
  const key = name === null ? '' : (before?.split('=', 1)[0] ?? numberAtEnd(name));
  return [...lines.filter((line) => !line.startsWith(`${key}=`)), `${key}=${next}`].join('\n');
}

function linesOf(account = ''): string[] {
  return account.split('\n');
}
