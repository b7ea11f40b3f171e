/** The quotient as the nearest whole number, ties to the even one; the divisor is positive and even. */
export function divideHalfToEven(dividend: bigint, divisor: bigint): number {
  const size = dividend < 0n ? -dividend : dividend;
  const floor = size / divisor;
  const twiceRest = (size % divisor) * 2n;
  const roundsUp = twiceRest > divisor || (twiceRest === divisor && floor % 2n === 1n);
  const quotient = Number(roundsUp ? floor + 1n : floor);
  return dividend < 0n && quotient !== 0 ? -quotient : quotient;
}
