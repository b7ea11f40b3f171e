import type { ReactElement } from 'react';
import { categoriesTexts } from '../../texts/en/categories.ts';
import { Confirmed } from '../flow/submitting.tsx';
import type { Dependents } from './data.ts';

const t = categoriesTexts.refused;

/** Says what depends on a record whose deletion the server has refused, and deletes it nevertheless. */
export function Refused(props: {
  readonly name: string;
  readonly dependents: Dependents;
  /** What happens to the records of each kind. */
  readonly texts: Readonly<Record<string, (count: number) => string>>;
  readonly onRemove: () => Promise<unknown>;
  readonly onClose: () => void;
}): ReactElement {
  const { name, dependents, texts, onRemove, onClose } = props;
  const remove = async (): Promise<void> => {
    await onRemove();
    onClose();
  };
  return (
    <Confirmed title={t.title(name)} confirmLabel={t.confirm} work={remove} onClose={onClose}>
      <p>{t.intro}</p>
      <ul className="effects">
        {Object.entries(dependents)
          .filter(([, count]) => count > 0)
          .map(([kind, count]) => (
            <li key={kind}>{texts[kind]?.(count) ?? `${kind}: ${count}`}</li>
          ))}
      </ul>
    </Confirmed>
  );
}
