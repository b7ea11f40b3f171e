import type { ReactElement } from 'react';
import { Combobox } from '../../parts/fields/combobox.tsx';
import { Line } from '../../parts/fields/fields.tsx';
import { Icon } from '../../parts/icon.tsx';
import { transactionTexts as t } from '../../texts/en/transactions.ts';
import { useCreating } from './create.ts';
import type { Names } from './names.ts';

/** The tags of a draft, each with a way to remove it. */
export function TagsField(props: {
  readonly label: string;
  readonly draft: { readonly tag_ids: readonly number[] };
  readonly change: (part: { readonly tag_ids: number[] }) => void;
  readonly names: Names;
}): ReactElement {
  const { label, draft, change, names } = props;
  const creating = useCreating();
  const chosen = names.tags.filter(({ id }) => draft.tag_ids.includes(id));
  const add = (id: number): void => change({ tag_ids: [...new Set([...draft.tag_ids, id])] });
  const without = (id: number): void =>
    change({ tag_ids: draft.tag_ids.filter((each) => each !== id) });
  return (
    <Line id={null} label={label}>
      {chosen.length > 0 && (
        <ul className="chips">
          {chosen.map(({ id, name }) => (
            <li key={id}>
              <button type="button" className="chip" onClick={() => without(id)}>
                <bdi>{name}</bdi>
                <Icon name="close" />
                <span className="hidden">{t.clear}</span>
              </button>
            </li>
          ))}
        </ul>
      )}
      <Combobox
        key={chosen.length}
        label={label}
        options={names.tags.filter(({ id, archived }) => !archived && !draft.tag_ids.includes(id))}
        onChoose={(tag) => tag !== null && add(tag.id)}
        onCreate={(name) => creating.tag(name, add)}
      />
    </Line>
  );
}
