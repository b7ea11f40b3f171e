import type { ErrorObject } from 'ajv';

/** The keys of an index whose array has another name in errors. */
const indexKeys: Readonly<Record<string, string>> = {
  transactions: 'transaction_index',
  balances: 'request_balances_index',
};

/**
 * Returns the keys of the API for a problem inside an item of a body's array, such as `child_transactions_index`: the
 * index, and the property that is wrong. None for other problems.
 */
export function itemKeys({
  instancePath,
  keyword,
  params,
}: Pick<ErrorObject, 'instancePath' | 'keyword' | 'params'>): Record<string, unknown> {
  const [, place, array = '', index = '', ...names] = instancePath.split('/');
  if (place !== 'body' || !/^\d+$/.test(index)) return {};
  const key = indexKeys[array] ?? `${array}_index`;
  const isMissing = keyword === 'required';
  const { missingProperty, additionalProperty } = params as Record<string, string | undefined>;
  return {
    [key]: Number(index),
    ...(isMissing && { error: 'Missing required property' }),
    invalid_property: names[0] ?? missingProperty ?? additionalProperty ?? array,
  };
}
