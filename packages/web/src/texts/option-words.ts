/** The options that the server names in a sentence, as the form of the screen has them. */
const optionWords: Readonly<Record<string, string>> = {
  currency: 'set the currency',
  date_format: 'set the dates',
  decimal: 'set the decimal sign',
  encoding: 'set the letters',
  map: 'set the columns',
  negate: 'set the signs',
  any_year: 'choose the years',
};

/** A sentence of the server with its options as the form has them; `placed` says where the form is. */
export function withOptionWords(text: string, placed: (words: string) => string): string {
  return (text.charAt(0).toUpperCase() + text.slice(1)).replaceAll(
    /\buse (any_year|currency|date_format|decimal|encoding|map|negate)\b( \w+=[^ ,]+)?/g,
    (_, option: string) => placed(optionWords[option] ?? option),
  );
}
