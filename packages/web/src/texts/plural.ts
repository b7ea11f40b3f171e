/** The forms of a text by number, with `#` for the number. Languages without a form use `other`. */
export type Forms = Readonly<Partial<Record<Intl.LDMLPluralRule, string>>> & {
  readonly other: string;
};

const rules = new Intl.PluralRules('en');
let numbers = new Intl.NumberFormat();

/** Sets the locale of the numbers in texts; empty for that of the browser. */
export function setTextLocale(locale: string): void {
  numbers = new Intl.NumberFormat(locale === '' ? undefined : locale);
}

/** Writes a whole number as texts do. */
export function wholeNumber(count: number): string {
  return numbers.format(count);
}

/** Returns the form for a number, with the number written by the locale of texts. */
export function plural(count: number, forms: Forms): string {
  return (forms[rules.select(count)] ?? forms.other).replace('#', numbers.format(count));
}
