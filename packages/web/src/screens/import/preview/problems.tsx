import type { ReactElement } from 'react';
import { Table } from '../../../parts/lists/table.tsx';
import { importTexts as t } from '../../../texts/en/import.ts';

/** A problem of a file, as the server has it; the place is known for rows. */
export interface FileProblem {
  readonly errMsg?: unknown;
  readonly line?: unknown;
  readonly column?: unknown;
  readonly value?: unknown;
  readonly reason?: unknown;
}

const mostShown = 20;

/** What is wrong with a file: where, and why. */
export function Problems(props: {
  readonly problems: readonly FileProblem[];
}): ReactElement | null {
  const { problems } = props;
  const placed = problems.filter(({ line }) => typeof line === 'number');
  const others = problems.filter(({ line }) => typeof line !== 'number');
  const shown = Math.min(placed.length, mostShown) + Math.min(others.length, mostShown);
  if (problems.length === 0) return null;
  return (
    <div className="stack" role="alert">
      {others.slice(0, mostShown).map(({ errMsg, reason }, place) => (
        <p key={place} className="problem">
          {textOf(errMsg ?? reason)}
        </p>
      ))}
      {placed.length > 0 && (
        <Table
          label={t.problem}
          rows={placed.slice(0, mostShown).map((problem, place) => ({ ...problem, place }))}
          rowKey={({ place }) => place}
          columns={[
            { key: 'line', title: t.line, align: 'end', cell: ({ line }) => textOf(line) },
            { key: 'column', title: t.column, cell: ({ column }) => textOf(column) },
            { key: 'value', title: t.value, cell: ({ value }) => <Value value={value} /> },
            {
              key: 'problem',
              title: t.problem,
              cell: ({ reason, errMsg }) => textOf(reason ?? errMsg),
            },
          ]}
        />
      )}
      {problems.length > shown && <p>{t.moreProblems(problems.length - shown)}</p>}
    </div>
  );
}

function Value({ value }: { readonly value: unknown }): ReactElement | null {
  const text = textOf(value);
  return text === '' ? null : <code>{text}</code>;
}

function textOf(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}
