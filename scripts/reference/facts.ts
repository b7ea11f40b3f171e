import { code, table, wrap } from './markdown.ts';
import type { SchemaJson } from '../../packages/server/src/wire/schema-json.ts';
import { typeWords, type Link } from './type-words.ts';

/** A property of an object, or a parameter, as the reference describes it. */
export interface Fact {
  readonly name: string;
  readonly type: string;
  /** The first paragraph of the description: a short phrase. */
  readonly meaning: string;
  /** The other paragraphs, for the text below the table. */
  readonly more: string;
}

/** Returns a fact for each property. `mark` chooses whether optional or required properties are marked. */
export function factsOf(schema: SchemaJson, link: Link, mark: 'optional' | 'required'): Fact[] {
  const { properties = {}, required = [] } = schema;
  return Object.entries(properties).map(([name, property]) => {
    const isRequired = required.includes(name) && property.default === undefined;
    const [meaning = '', ...more] = (property.description ?? '').split('\n\n');
    const type = [
      typeWords(property, link),
      ...(isRequired === (mark === 'required') ? [mark] : []),
      ...(property.default === undefined ? [] : [`default ${code(plainText(property.default))}`]),
    ].join(', ');
    return { name, type, meaning, more: more.join(' ') };
  });
}

/** A default as it is written in a URL. */
function plainText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** Returns the blocks of a list of facts: their table, and a paragraph for each fact that needs one. */
export function factBlocks(heading: string, facts: readonly Fact[]): string[] {
  const rows = facts.map(({ name, type, meaning }) => [code(name), type, meaning]);
  const notes = facts.filter(({ more }) => more !== '');
  return [
    table([heading, 'Type', 'Meaning'], rows),
    ...notes.map(({ name, more }) => wrap(`${code(name)}: ${more}`)),
  ];
}
