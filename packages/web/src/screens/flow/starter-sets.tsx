import { useState, type ReactElement } from 'react';
import { useCategories } from '../../api/hooks.ts';
import { keys } from '../../api/keys.ts';
import { request } from '../../api/request.ts';
import { Button } from '../../parts/button.tsx';
import { starterSets, starterTexts as t } from '../../texts/en/starter-sets.ts';
import type { StarterCategory, StarterSet } from '../../texts/en/starter-sets.ts';
import { showFailure, useOwnChanges } from './own-changes.ts';

/** Offers a book without categories a set of them; nothing once it has one. */
export function StarterSets(): ReactElement | null {
  const { data: categories } = useCategories();
  const { change } = useOwnChanges(keys.categories);
  const [isBusy, setIsBusy] = useState(false);
  if (categories?.length !== 0) return null;
  const use = async ({ categories: all }: StarterSet): Promise<void> => {
    setIsBusy(true);
    const count = all.flatMap(namesOf).length;
    const write = async (): Promise<void> => {
      for (const each of all) await request('POST /v2/categories', { body: bodyOf(each) });
    };
    await change(write, t.made(count), all.length).catch(showFailure);
    setIsBusy(false);
  };
  return (
    <section className="starter-sets" aria-labelledby="starter-title">
      <h2 id="starter-title">{t.title}</h2>
      <p className="hint">{t.hint}</p>
      <ul>
        {starterSets.map((set) => (
          <li key={set.name} className="card">
            <h3>{set.name}</h3>
            <p className="hint">{set.categories.flatMap(namesOf).join(' · ')}</p>
            <Button disabled={isBusy} onClick={() => void use(set)}>
              {t.use(set.name)}
            </Button>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** The categories, without the groups. */
function namesOf({ name, members }: StarterCategory): readonly string[] {
  return members ?? [name];
}

function bodyOf({ name, members, is_income = false }: StarterCategory) {
  if (members === undefined) return { name, is_income };
  return { name, is_group: true, children: [...members] };
}
