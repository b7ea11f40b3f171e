import { useState } from 'react';
import type { ReactElement, SubmitEvent } from 'react';
import { keys } from '../../api/keys.ts';
import type { Tag } from '../../api/types.ts';
import { fullColour } from '../../books/categories/colours.ts';
import { Button } from '../../parts/button.tsx';
import { CheckField } from '../../parts/fields/check-field.tsx';
import { Dialog } from '../../parts/overlays/dialog.tsx';
import { TextField } from '../../parts/fields/text-field.tsx';
import { categoriesTexts } from '../../texts/en/categories.ts';
import { ownChangesTexts } from '../../texts/en/own-changes.ts';
import { useOwnChanges } from '../own-changes.ts';
import { useSubmitting } from '../submitting.ts';
import { createTag, updateTag } from './data.ts';
import { TagChip } from './tag-chip.tsx';

const t = categoriesTexts.form;
const usualBackground = '#cff4f3';

/** A dialog that creates or changes a tag. */
export function TagForm(props: { readonly tag?: Tag; readonly onClose: () => void }): ReactElement {
  const { tag, onClose } = props;
  const { change } = useOwnChanges(keys.tags);
  const { problem, isBusy, submit } = useSubmitting();
  const [name, setName] = useState(tag?.name ?? '');
  const [description, setDescription] = useState(tag?.description ?? '');
  const [background, setBackground] = useState(() => fullColour(tag?.background_color ?? null));
  const save = (event: SubmitEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const note = description.trim() === '' ? null : description.trim();
    const colour = background === null ? null : background.slice(1).toUpperCase();
    const values = { name: name.trim(), description: note, background_color: colour };
    void submit(async () => {
      if (tag === undefined)
        await change(() => createTag(values), categoriesTexts.created(values.name));
      else await change(() => updateTag(tag.id, values), categoriesTexts.changed(values.name));
      onClose();
    });
  };
  return (
    <Dialog
      title={tag === undefined ? categoriesTexts.addTag : categoriesTexts.edit}
      closeLabel={ownChangesTexts.close}
      onClose={onClose}
    >
      <form className="stack" onSubmit={save}>
        <TextField
          label={t.name}
          required
          autoFocus
          maxLength={100}
          value={name}
          problem={problem}
          onChange={({ currentTarget: { value } }) => setName(value)}
        />
        <TextField
          label={t.description}
          maxLength={200}
          value={description}
          onChange={({ currentTarget: { value } }) => setDescription(value)}
        />
        <Colour background={background} onChange={setBackground} />
        <p>
          <span className="label">{t.preview}</span>{' '}
          <TagChip name={name.trim() === '' ? '…' : name} text={null} background={background} />
        </p>
        <div className="actions end">
          <Button type="submit" look="main" disabled={isBusy || name.trim() === ''}>
            {ownChangesTexts.save}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

function Colour(props: {
  readonly background: string | null;
  readonly onChange: (background: string | null) => void;
}): ReactElement {
  const { background, onChange } = props;
  return (
    <>
      <CheckField
        label={t.hasColours}
        isChecked={background !== null}
        onChange={(isOn) => onChange(isOn ? usualBackground : null)}
      />
      {background !== null && (
        <TextField
          type="color"
          className="colour"
          label={t.background}
          value={background}
          onChange={({ currentTarget: { value } }) => onChange(value)}
        />
      )}
    </>
  );
}
