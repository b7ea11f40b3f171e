/** Decimal places of a quantity of a crypto asset: 18, as for ether, which has the most of all supported assets. */
export const quantityPlaces = 18;
const maxUnitDigits = 18;
const quantityPattern = new RegExp(
  `^([0-9]{1,${maxUnitDigits}})(?:\\.([0-9]{1,${quantityPlaces}}))?$`,
);
const upperBound = 10n ** BigInt(maxUnitDigits + quantityPlaces);

/**
 * Parses a quantity such as `12.5` exactly, in units of 10^-18.
 *
 * Accepts 1 to 18 ASCII digits, and 1 to 18 more after a point. Returns null for any other text: a sign, an exponent,
 * spaces.
 */
export function parseQuantity(text: string): bigint | null {
  const match = quantityPattern.exec(text);
  if (match === null) return null;
  const [, units = '', fraction = ''] = match;
  return BigInt(units + fraction.padEnd(quantityPlaces, '0'));
}

/** Whether units of 10^-18 are a quantity: not negative, and less than 10^18 of the asset. */
export function isQuantity(value: bigint): boolean {
  return value >= 0n && value < upperBound;
}

/** Formats a quantity in units of 10^-18 as a decimal with exactly 18 places. */
export function formatQuantity(value: bigint): string {
  const digits = value.toString().padStart(quantityPlaces + 1, '0');
  return `${digits.slice(0, -quantityPlaces)}.${digits.slice(-quantityPlaces)}`;
}
