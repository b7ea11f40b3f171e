import type { ComponentType, ReactElement } from 'react';
import { useParams } from 'wouter';
import { EmptyState } from '../../parts/states/empty-state.tsx';
import { PageHeader } from '../../parts/page/page-header.tsx';
import { SectionLinks } from '../../parts/page/section-links.tsx';
import { settingsTexts as t } from '../../texts/en/settings.ts';
import { Download } from './download.tsx';
import { Formats } from './formats.tsx';
import { Tokens } from './tokens.tsx';
import { Webhooks } from './webhooks.tsx';
import { Passkeys } from './passkeys.tsx';
import { Password } from './password.tsx';
import { Sessions } from './sessions.tsx';

type Section = keyof typeof t.sections;

const views: Readonly<Record<Section, ComponentType>> = {
  formats: Formats,
  'signing-in': SigningIn,
  tokens: Tokens,
  webhooks: Webhooks,
  download: Download,
};
const links = Object.entries(t.sections).map(([section, label]) => ({
  href: `/settings/${section}`,
  label,
}));

function isSection(text: string): text is Section {
  return Object.hasOwn(views, text);
}

/** The settings: a section for each part of the URL, formats first. */
export function Settings(): ReactElement {
  const { section = 'formats' } = useParams<{ section?: string }>();
  const View = isSection(section) ? views[section] : null;
  return (
    <>
      <PageHeader title={t.title} />
      <SectionLinks label={t.title} links={links} current={`/settings/${section}`} />
      <div className="settings">
        {View === null ? (
          <EmptyState icon="settings" title={t.noSection} hint={t.noSectionHint} />
        ) : (
          <View />
        )}
      </div>
    </>
  );
}

/** How the user signs in, and where the user is signed in. */
function SigningIn(): ReactElement {
  return (
    <div className="stack">
      <Passkeys />
      <Password />
      <Sessions />
    </div>
  );
}
