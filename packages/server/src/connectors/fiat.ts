/*
 * Money that exchanges hold beside crypto. Not the contract's list of currencies: some of those codes (ERN, MNT, SOS)
 * are symbols of coins here.
 */
const codes = new Set(
  `AED ARS AUD BRL CAD CHF CLP CNY COP CZK DKK EUR GBP HKD HUF IDR ILS INR JPY KES KRW KZT MXN MYR NGN NOK NZD PEN PHP
   PLN RON RUB SAR SEK SGD THB TRY TWD UAH USD VND ZAR`.split(/\s+/),
);

/** Whether the code, in capitals, is money of a state that exchanges keep accounts in. */
export function isFiat(code: string): boolean {
  return codes.has(code);
}
