import { currencies } from '../currencies.ts';
import { errorTable } from '../errors.ts';
import { headers, rateLimitHeaders } from '../headers.ts';
import { responsesOf, type Described } from '../operation.ts';
import type { Interface } from './openapi.ts';
import { overview } from './overview.ts';
import { sharedResponses, type Response } from '../responses.ts';
import { componentName } from '../schema.ts';
import { asJson, boundsWords, typeWords, type SchemaJson } from './schema-words.ts';

/** docs/reference/api.md: the interface for people, in Markdown. The same text at every call. */
export function referenceText({ operations, components }: Interface): string {
  return [
    '# HTTP interface',
    '<!-- Built by `npm run openapi`; change the contract, not this file. -->',
    overview.trim(),
    '## Operations',
    ...operations.flatMap(operationText),
    '## Shared answers',
    'Beside the headers of the table, every answer has the six rate limit headers.',
    sharedResponseRows(),
    '## Objects',
    ...Object.entries(components).flatMap(([name, schema]) => objectText(name, asJson(schema))),
    '## Errors',
    'One row for each kind of error. `errMsg` is the text when nothing more precise is known.',
    errorRows(),
    '## Response headers',
    table(
      ['Header', 'Meaning'],
      Object.entries(headers).map(([name, { description }]) => [code(name), description]),
    ),
    '',
  ]
    .join('\n\n')
    .trimEnd()
    .concat('\n');
}

function operationText(operation: Described): string[] {
  const { method, declaration } = operation;
  const { path, summary, description, params, query, body } = declaration;
  const parameters = [
    ...parameterRows('path', asJson(params ?? {})),
    ...parameterRows('query', asJson(query ?? {})),
  ];
  const heading = ['Parameter', 'In', 'Type', 'Default', 'Bounds', 'Meaning'];
  return [
    `### ${method} ${path}`,
    `${summary}. ${description}`,
    parameters.length === 0 ? 'No parameters.' : table(heading, parameters),
    ...(body === undefined ? [] : [`Body: ${typeWords({ $ref: componentName(body) })}.`]),
    responsesText(operation),
  ];
}

/** A default as it is written in a URL. */
function plainText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function parameterRows(place: string, schema: SchemaJson): string[][] {
  return Object.entries(schema.properties ?? {}).map(([name, property]) => [
    code(name),
    place,
    typeWords(property),
    property.default === undefined ? '' : code(plainText(property.default)),
    boundsWords(property),
    property.description ?? '',
  ]);
}

function responsesText(operation: Described): string {
  const lines = Object.entries(responsesOf(operation)).map(([status, each]) => {
    if (typeof each === 'string') return `- ${status}: [${each}](#${each.toLowerCase()})`;
    return `- ${status}: ${each.description} ${bodyWords(each)}`;
  });
  return `Answers:\n\n${lines.join('\n')}`;
}

function sharedResponseRows(): string {
  return table(
    ['Answer', 'Body', 'When', 'Headers'],
    Object.entries(sharedResponses).map(([name, response]: [string, Response]) => [
      `<a id="${name.toLowerCase()}"></a>${name}`,
      bodyWords(response),
      response.description,
      [
        ...response.headers.filter((header) => !isRateLimitHeader(header)).map(code),
        ...(response.optionalHeaders ?? []).map((header) => `${code(header)}, at times`),
      ].join(', '),
    ]),
  );
}

function isRateLimitHeader(name: string): boolean {
  return rateLimitHeaders.some((header) => header === name);
}

function bodyWords({ component }: Response): string {
  return component === undefined ? 'none' : typeWords({ $ref: component });
}

function objectText(name: string, schema: SchemaJson): string[] {
  const head = [`### ${name}`, schema.description ?? ''];
  if (name === 'Currency') return [...head, currencyText()];
  const required = schema.required ?? [];
  const rows = Object.entries(schema.properties ?? {}).map(([key, property]) => [
    code(key),
    typeWords(property),
    required.includes(key) ? 'yes' : 'no',
    property.description ?? '',
  ]);
  return [...head, table(['Key', 'Type', 'Always', 'Meaning'], rows)];
}

function currencyText(): string {
  const codes = Object.entries(currencies).map(
    ([currency, digits]) => `${code(currency)} ${digits}`,
  );
  return `Each code with the decimals of its smallest unit: ${codes.join(', ')}.`;
}

function errorRows(): string {
  const rows = Object.entries(errorTable).map(([kind, { status, message, errMsg }]) => [
    code(kind),
    String(status),
    code(message),
    code(errMsg),
  ]);
  return table(['Kind', 'Status', '`message`', '`errMsg`'], rows);
}

function table(heading: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map(escapeBars).join(' | ')} |`;
  return [line(heading), line(heading.map(() => '---')), ...rows.map(line)].join('\n');
}

function escapeBars(cell: string): string {
  return cell.replaceAll('|', '\\|');
}

function code(text: string): string {
  return `\`${text}\``;
}
