/** What a statement must not do to a table that existed before, by its text. */
const forbidden: readonly (readonly [pattern: RegExp, what: string])[] = [
  [/^DROP (?!INDEX\b)/i, 'drops'],
  [/^(TRUNCATE|DELETE)\b/i, 'empties'],
  [/^ALTER TABLE .*\bDROP (?!NOT NULL|DEFAULT|EXPRESSION)/i, 'drops'],
  [/^ALTER .*\bRENAME\b/i, 'renames'],
  [/^ALTER TABLE .*\bALTER (COLUMN )?"?\w+"? (SET DATA )?TYPE\b/i, 'retypes'],
  [/^ALTER TABLE .*\bSET NOT NULL\b/i, 'restricts'],
  [/^ALTER TABLE .*\bADD (CONSTRAINT|CHECK|UNIQUE|PRIMARY|FOREIGN|EXCLUDE)\b/i, 'restricts'],
  [/^ALTER TABLE .*\bADD (COLUMN )?(?!.*\bDEFAULT\b).*\bNOT NULL\b/i, 'restricts'],
  [/^ALTER TABLE .*\bADD (COLUMN )?.*\b(CHECK|UNIQUE|REFERENCES)\b/i, 'restricts'],
  [/^CREATE UNIQUE INDEX\b/i, 'restricts'],
];

/**
 * Returns the statements of a schema change with which the previous release could not work, each with what it does: it
 * drops, empties, renames, retypes or restricts what existed. Tables that the change itself creates are exempt. So are
 * unique indexes of a column that it adds: the previous release leaves the column null.
 */
export function contractions(script: string): string[] {
  const statements = script
    .replaceAll(/--.*$/gm, '')
    .replaceAll(/\s+/g, ' ')
    .split(';')
    .map((statement) => statement.trim());
  const made = new Set(
    statements.flatMap((statement) => /^CREATE TABLE (\w+)/i.exec(statement)?.[1] ?? []),
  );
  return statements.flatMap((statement) => {
    const table = /\b(?:TABLE|ON|FROM) (?:ONLY )?(\w+)/i.exec(statement)?.[1] ?? '';
    if (made.has(table) || isOfNewColumn(statement, table, statements)) return [];
    const found = forbidden.find(([pattern]) => pattern.test(statement));
    return found === undefined ? [] : [`${found[1]}: ${statement}`];
  });
}

/** Whether a statement creates a unique index of a nullable column without a default that the same change adds. */
function isOfNewColumn(statement: string, table: string, all: readonly string[]): boolean {
  if (!/^CREATE UNIQUE INDEX\b/i.test(statement)) return false;
  const columns = /\(([^()]*)\)/.exec(statement)?.[1]?.split(', ') ?? [];
  return columns.some((column) =>
    all.some((each) =>
      new RegExp(`^ALTER TABLE ${table} ADD COLUMN ${column} (?!.*NULL|.*DEFAULT)`).test(
        `${each} `,
      ),
    ),
  );
}
