import type { Random } from './random.ts';

/** Every shop has three branches, and its names are made once. */
const branchCount = 3;
const namesByPayee = new Map<string, string[]>();

/** A shop's name as a bank prints it: capitals, the number of the branch, and the town when there is room. */
export function shopBankName(payee: string, random: Random): string {
  const names = namesByPayee.get(payee) ?? listNames(payee);
  namesByPayee.set(payee, names);
  return random.pick(names);
}

function listNames(payee: string): string[] {
  let sum = 0;
  for (let i = 0; i < payee.length; i += 1) sum = (sum * 31 + payee.charCodeAt(i)) % 9_000;
  return Array.from({ length: branchCount }, (_, branch) => {
    const number = String(((sum + branch * 1_207) % 9_000) + 100).padStart(4, '0');
    const name = payee.toUpperCase();
    return name.length > 22 ? `${name} #${number}` : `POS ${name} #${number} PORTLAND OR`;
  });
}
