import type { ReactElement } from 'react';
import { useSearchParams } from 'wouter';
import type { HistoryEntry } from '../../api/types.ts';
import { actorKey, operationWords, writeChangeFilter } from '../../books/history/changes.ts';
import type { ChangeFilter } from '../../books/history/changes.ts';
import { Button } from '../../parts/button.tsx';
import { DateField } from '../../parts/fields/date-field.tsx';
import { SelectField } from '../../parts/fields/select-field.tsx';
import type { SelectOption } from '../../parts/fields/select-field.tsx';
import { historyTexts as t } from '../../texts/en/history.ts';
import { recordNames } from '../../texts/en/records.ts';
import { actorName } from './sentence.ts';

/** The filters of the list, which are in the address of the page. */
export interface ChangeFiltersProps {
  readonly filter: ChangeFilter;
  /** The changes that are loaded: they say who and what there is to choose. */
  readonly entries: readonly HistoryEntry[];
}

/** Chooses who, what, which records and which days are listed. */
export function ChangeFilters({ filter, entries }: ChangeFiltersProps): ReactElement {
  const [, setSearch] = useSearchParams();
  const change = (part: Partial<ChangeFilter>): void =>
    setSearch(new URLSearchParams(writeChangeFilter({ ...filter, ...part })), { replace: true });
  const actors = entries.map(({ actor }) => ({ value: actorKey(actor), label: actorName(actor) }));
  const operations = entries.map(({ operation: value }) => ({
    value,
    label: operationWords(value),
  }));
  const records = Object.entries(recordNames).map(([value, { other }]) => ({
    value,
    label: other,
  }));
  const isFiltered = writeChangeFilter(filter) !== '';
  return (
    <fieldset className="history-filters">
      <legend className="hidden">{t.filters}</legend>
      <SelectField
        label={t.actor}
        value={filter.actor}
        options={withChosen(t.anyone, actors, filter.actor)}
        onChange={(actor) => change({ actor })}
      />
      <SelectField
        label={t.operation}
        value={filter.operation}
        options={withChosen(t.anything, operations, filter.operation)}
        onChange={(operation) => change({ operation })}
      />
      <SelectField
        label={t.record}
        value={filter.record}
        options={withChosen(t.allRecords, records, filter.record)}
        onChange={(record) => change({ record })}
      />
      <DateField label={t.from} date={filter.from} onDate={(from) => change({ from })} />
      <DateField label={t.to} date={filter.to} onDate={(to) => change({ to })} />
      {isFiltered && (
        <Button look="quiet" icon="close" onClick={() => setSearch({}, { replace: true })}>
          {t.clear}
        </Button>
      )}
    </fieldset>
  );
}

/** The choices without doubles, with one for all, and with the chosen one even if the list does not have it. */
function withChosen(all: string, choices: readonly SelectOption[], chosen: string): SelectOption[] {
  const byValue = new Map(choices.map((choice) => [choice.value, choice]));
  if (chosen !== '' && !byValue.has(chosen))
    byValue.set(chosen, { value: chosen, label: operationWords(chosen) });
  const sorted = [...byValue.values()].toSorted((a, b) => a.label.localeCompare(b.label));
  return [{ value: '', label: all }, ...sorted];
}
