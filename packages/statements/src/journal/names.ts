import { nameKey } from '@coffer/core/text';

/**
 * Names accounts without their top: `Expenses:Food:Bread` is `Food:Bread`. Two that would be equal keep it. The end of
 * a name is kept if it is longer than `maxLength`; a number distinguishes names that are still equal.
 */
export function shortNames(accounts: Iterable<string>, maxLength: number): Map<string, string> {
  const all = [...accounts];
  const counts = new Map<string, number>();
  for (const account of all) {
    const key = nameKey(short(account, maxLength));
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  const names = new Map<string, string>();
  const used = new Map<string, number>();
  for (const account of all) {
    const own = short(account, maxLength);
    const isShared = (counts.get(nameKey(own)) ?? 0) > 1;
    names.set(account, unused(isShared ? ending(account, maxLength) : own, used, maxLength));
  }
  return names;
}

function short(account: string, maxLength: number): string {
  return ending(account.slice(account.indexOf(':') + 1), maxLength);
}

/** The end of a text, which begins with a whole part of the account if there is one. */
function ending(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text;
  const end = text.slice(-maxLength);
  const colon = end.indexOf(':');
  return (colon < 0 || colon === end.length - 1 ? end : end.slice(colon + 1)).toWellFormed();
}

/** The name, or the first free one with a number. `used` has the last number of each name. */
function unused(name: string, used: Map<string, number>, maxLength: number): string {
  const key = nameKey(name);
  const last = used.get(key);
  if (last === undefined) {
    used.set(key, 1);
    return name;
  }
  used.set(key, last + 1);
  const number = ` ${last + 1}`;
  return unused(`${name.slice(0, maxLength - number.length)}${number}`, used, maxLength);
}
