/** Decimal places of a quantity, as many as an ether has. */
export const quantityPlaces = 18;
/** Digits before the point: more units than of any asset there are, and far from what a mistake looks like. */
const maxUnitDigits = 18;
const decimal = new RegExp(`^([0-9]{1,${maxUnitDigits}})(?:\\.([0-9]{1,${quantityPlaces}}))?$`);
const tooMany = 10n ** BigInt(maxUnitDigits + quantityPlaces);

/**
 * Reads an amount such as `12.5` as a number of 10^-18 units; null when it is none.
 *
 * 1 to 18 digits, and up to 18 more after a point. No sign, no exponent, no spaces.
 */
export function parseQuantity(text: string): bigint | null {
  const match = decimal.exec(text);
  if (match === null) return null;
  const [, units = '', fraction = ''] = match;
  return BigInt(units + fraction.padEnd(quantityPlaces, '0'));
}

/** Whether as many 10^-18 units can be a quantity: fewer than 10^18 units, and not negative. */
export function isQuantity(value: bigint): boolean {
  return value >= 0n && value < tooMany;
}

/** Prints a quantity of 10^-18 units with exactly 18 places. */
export function formatQuantity(value: bigint): string {
  const digits = value.toString().padStart(quantityPlaces + 1, '0');
  return `${digits.slice(0, -quantityPlaces)}.${digits.slice(-quantityPlaces)}`;
}
