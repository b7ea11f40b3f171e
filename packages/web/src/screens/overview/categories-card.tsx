import { useMemo } from 'react';
import type { ReactElement } from 'react';
import { Link } from 'wouter';
import { useCategories } from '../../api/hooks.ts';
import { sidesOf, usePeriodSums } from '../../api/reports.ts';
import { categoryReport } from '../../books/reports/category-report.ts';
import { periodHref } from '../../books/filter/links.ts';
import { Sum } from '../../parts/money.tsx';
import { overviewTexts as t } from '../../texts/en/overview.ts';
import { Card } from './card.tsx';
import type { Scene } from './data.ts';

const most = 7;

/** The categories and groups in which most was spent in the month. */
export function CategoriesCard({ month, currency }: Scene): ReactElement {
  const period = { first: month, last: month };
  const sums = usePeriodSums(period);
  const categories = useCategories();
  const report = useMemo(
    () =>
      sums.data && categories.data
        ? categoryReport([month], 'spending', sidesOf(sums.data, categories.data), categories.data)
        : null,
    [sums.data, categories.data, month],
  );
  const rows = report?.rows.filter(({ total }) => total > 0n).slice(0, most) ?? [];
  const highest = rows[0]?.total ?? 1n;
  return (
    <Card
      name="categories"
      title={t.categories}
      query={sums}
      more={{ href: '/reports/spending', label: t.allCategories }}
    >
      {report === null ? null : rows.length === 0 ? (
        <p className="hint">{t.noSpending}</p>
      ) : (
        <ul className="overview-list">
          {rows.map(({ key, name, total, categoryIds }) => (
            <li key={key}>
              <Link href={periodHref(period, categoryIds)} className="overview-row">
                <span className="name">{name ?? t.noCategory}</span>
                <Sum units={total} currency={currency} />
                <meter
                  aria-hidden="true"
                  min={0}
                  max={100}
                  value={Number((total * 100n) / highest)}
                />
              </Link>
            </li>
          ))}
        </ul>
      )}
    </Card>
  );
}
