import { payingAccount } from './accounts.ts';
import { shopBankName } from './bank-names.ts';
import { dayOn, lastDay } from './calendar.ts';
import { minorUnit, toUsd } from './currencies.ts';
import { draftTransaction, type DraftTransaction, type DraftUnit } from './draft-transaction.ts';
import { groupTemplates, type GroupMember, type GroupTemplate } from './group-templates.ts';
import type { Random } from './random.ts';

/** The longest group spans so many days; it must end before the rows that are pending. */
const longestSpan = 14;

/** Rows that somebody tied together, 2 to 5 in each group, evenly spread over the ten years. */
export function draftGroups(count: number, random: Random): DraftUnit[] {
  return Array.from({ length: count }, (_, at) => {
    const day = Math.floor(((at + random.fraction()) / count) * (lastDay - longestSpan));
    const possible = groupTemplates.filter(({ from }) => dayOn(from) <= day);
    return draftGroup(random.pick(possible), day, random);
  });
}

/** The group stands on its first member's day and sums in US dollars, whatever its members were paid in. */
function draftGroup(template: GroupTemplate, day: number, random: Random): DraftUnit {
  const count = random.integer(2, template.members.length);
  const loose = template.members
    .slice(0, count)
    .map((member) => draftMember(member, template, day, random));
  const parent = draftTransaction({
    day,
    amount: loose.reduce((sum, row) => sum + toUsd(row.amount, row.currency, row.day), 0),
    payee: template.payee,
    category: sharedCategory(loose) ?? template.category ?? null,
    notes: template.notes ?? null,
    tags: template.tag === undefined ? [] : [template.tag],
    isGroupParent: true,
  });
  return [parent, ...loose.map((row) => ({ ...row, groupParent: parent }))];
}

function draftMember(
  member: GroupMember,
  template: GroupTemplate,
  day: number,
  random: Random,
): DraftTransaction {
  const paidOn = day + member.after;
  const currency = member.currency ?? 'usd';
  return draftTransaction({
    day: paidOn,
    amount: random.integer(...member.cents) * minorUnit(currency),
    currency,
    payee: member.payee,
    bankName: currency === 'usd' && member.cents[0] > 0 ? shopBankName(member.payee, random) : null,
    category: member.category,
    account: payingAccount(member.account, paidOn),
    tags: template.tag === undefined ? [] : [template.tag],
  });
}

function sharedCategory(members: DraftUnit): DraftTransaction['category'] {
  const category = members[0]?.category ?? null;
  return members.every((member) => member.category === category) ? category : null;
}
