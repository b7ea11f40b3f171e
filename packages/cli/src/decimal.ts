/** Prints ten-thousandths as a decimal with exactly four places: `-12.5000`. Exact for every integer. */
export function decimal(tenThousandths: number | bigint): string {
  const value = BigInt(tenThousandths);
  const digits = String(value < 0n ? -value : value).padStart(5, '0');
  return `${value < 0n ? '-' : ''}${digits.slice(0, -4)}.${digits.slice(-4)}`;
}
