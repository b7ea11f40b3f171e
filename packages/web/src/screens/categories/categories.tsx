import type { ReactElement } from 'react';
import { useParams } from 'wouter';
import { keys } from '../../api/keys.ts';
import { PageHeader } from '../../parts/page/page-header.tsx';
import { SectionLinks } from '../../parts/page/section-links.tsx';
import { categoriesTexts as t } from '../../texts/en/categories.ts';
import { useOwnChanges, useUndoKey } from '../flow/own-changes.ts';
import { CategoryList } from './category-list.tsx';
import { TagList } from './tag-list.tsx';

const links = [
  { href: '/categories', label: t.parts.categories },
  { href: '/categories/tags', label: t.parts.tags },
];

/** Categories and tags, each with a URL of its own. */
export function CategoriesScreen(): ReactElement {
  const { part } = useParams<{ part?: string }>();
  const { undo } = useOwnChanges(keys.categories);
  useUndoKey(undo);
  const isTags = part === 'tags';
  return (
    <>
      <PageHeader title={t.title} />
      <SectionLinks label={t.title} links={links} current={links[isTags ? 1 : 0]!.href} />
      {isTags ? <TagList /> : <CategoryList />}
    </>
  );
}
