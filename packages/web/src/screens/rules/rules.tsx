import { useState, type ReactElement } from 'react';
import { emptyRule, movedBy, type Rule, type RuleDraft } from '../../books/rules/draft.ts';
import { Button } from '../../parts/button.tsx';
import { Menu, type MenuAction } from '../../parts/overlays/menu.tsx';
import { PageHeader } from '../../parts/page.tsx';
import { EmptyState, Skeleton } from '../../parts/states.tsx';
import { rulesTexts as t } from '../../texts/en/rules.ts';
import { Loaded } from '../flow/loaded.tsx';
import { useNames, type Names } from '../flow/names.ts';
import { showFailure, useUndoKey } from '../flow/own-changes.ts';
import { Confirmed } from '../flow/submitting.tsx';
import { useRuleActions, useRulePreview, useRules, type RuleActions } from './data.ts';
import { PreviewRows, RuleDialog } from './rule-dialog.tsx';
import { actionsInWords, conditionsInWords, useAmountText } from './words.ts';

/** What is open over the list. */
type Opened =
  | { readonly kind: 'edit'; readonly begun: Rule | RuleDraft }
  | { readonly kind: 'apply'; readonly rule: Rule };

/** `/rules`: the rules of the book in their order. */
export function RulesScreen(): ReactElement {
  const query = useRules();
  const names = useNames();
  const actions = useRuleActions();
  const [opened, setOpened] = useState<Opened | null>(null);
  useUndoKey(actions.undo);
  const close = (): void => setOpened(null);
  const create = (
    <Button look="main" icon="plus" onClick={() => setOpened({ kind: 'edit', begun: emptyRule })}>
      {t.create}
    </Button>
  );
  return (
    <>
      <PageHeader title={t.title} summary={t.summary}>
        {(query.data?.length ?? 0) > 0 && create}
      </PageHeader>
      <Loaded query={query}>
        {(rules) =>
          rules.length === 0 ? (
            <EmptyState icon="rules" title={t.empty} hint={t.emptyHint}>
              {create}
            </EmptyState>
          ) : (
            <ol className="rules card" aria-label={t.list}>
              {rules.map((rule) => (
                <RuleLine key={rule.id} {...{ rule, rules, names, actions }} onOpen={setOpened} />
              ))}
            </ol>
          )
        }
      </Loaded>
      {opened?.kind === 'edit' && <RuleDialog begun={opened.begun} onClose={close} />}
      {opened?.kind === 'apply' && (
        <ApplyDialog {...{ names, actions }} rule={opened.rule} onClose={close} />
      )}
    </>
  );
}

/** A rule: whether it is on, what it does, and what can be done with it. */
function RuleLine(props: {
  readonly rule: Rule;
  readonly rules: readonly Rule[];
  readonly names: Names;
  readonly actions: RuleActions;
  readonly onOpen: (opened: Opened) => void;
}): ReactElement {
  const { rule, names, actions, onOpen } = props;
  const { name, enabled } = rule;
  const shown = useAmountText();
  const edit = (): void => onOpen({ kind: 'edit', begun: rule });
  return (
    <li className={enabled ? 'rule' : 'rule off'}>
      <label className="check">
        <input
          type="checkbox"
          checked={enabled}
          aria-label={t.isOn(name)}
          onChange={({ currentTarget }) =>
            void actions.turn(rule, currentTarget.checked).catch(showFailure)
          }
        />
      </label>
      <div className="rule-what">
        <button type="button" className="item-name" aria-label={t.edit(name)} onClick={edit}>
          <bdi>{name}</bdi>
        </button>
        <p className="hint">
          <bdi>{conditionsInWords(rule, names, shown)}</bdi>
          <span className="arrow"> → </span>
          <bdi>{actionsInWords(rule, names)}</bdi>
        </p>
      </div>
      {!enabled && <span className="badge">{t.off}</span>}
      <Menu label={t.more(name)} actions={menuOf(props, edit)} />
    </li>
  );
}

function menuOf(
  { rule, rules, actions, onOpen }: Parameters<typeof RuleLine>[0],
  edit: () => void,
): MenuAction[] {
  const ids = rules.map(({ id }) => id);
  const move = (step: number) => () => {
    actions.order(movedBy(ids, rule.id, step), rule.name).catch(showFailure);
  };
  const apply = (): void => onOpen({ kind: 'apply', rule });
  const remove = (): void => void actions.remove(rule).catch(showFailure);
  return [
    { key: 'edit', label: t.menu.edit, icon: 'edit', run: edit },
    { key: 'apply', label: t.menu.apply, icon: 'history', run: apply },
    ...(ids[0] === rule.id ? [] : [{ key: 'up', label: t.menu.up, run: move(-1) }]),
    ...(ids.at(-1) === rule.id ? [] : [{ key: 'down', label: t.menu.down, run: move(1) }]),
    { key: 'remove', label: t.menu.remove, icon: 'trash', look: 'danger', run: remove },
  ];
}

/** Says what a rule would change of the transactions that exist, and changes it. */
function ApplyDialog(props: {
  readonly rule: Rule;
  readonly names: Names;
  readonly actions: RuleActions;
  readonly onClose: () => void;
}): ReactElement {
  const { rule, names, actions, onClose } = props;
  const preview = useRulePreview({ rule_id: rule.id });
  return (
    <Confirmed
      title={t.applying.title(rule.name)}
      confirmLabel={t.applying.confirm}
      look="main"
      canConfirm={(preview?.changed ?? 0) > 0}
      work={() => actions.apply(rule.id)}
      onClose={onClose}
    >
      <div className="rule-preview">
        {preview === undefined ? (
          <Skeleton lines={4} />
        ) : (
          <PreviewRows preview={preview} names={names} />
        )}
      </div>
    </Confirmed>
  );
}
