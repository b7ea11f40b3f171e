import { useState } from 'react';
import type { ReactElement } from 'react';
import { keys } from '../../api/keys.ts';
import type { Tag } from '../../api/types.ts';
import { fullColour } from '../../books/categories/colours.ts';
import { CheckField } from '../../parts/fields/check-field.tsx';
import { Dialog } from '../../parts/overlays/dialog.tsx';
import { TextField } from '../../parts/fields/text-field.tsx';
import { categoriesTexts } from '../../texts/en/categories.ts';
import { ownChangesTexts } from '../../texts/en/own-changes.ts';
import { useOwnChanges } from '../flow/own-changes.ts';
import { SubmitForm } from '../flow/submitting.tsx';
import { createTag, updateTag } from './data.ts';
import { TagChip } from './tag-chip.tsx';

const t = categoriesTexts.form;
const usualBackground = '#cff4f3';

/** A dialog that creates or changes a tag. */
export function TagForm(props: { readonly tag?: Tag; readonly onClose: () => void }): ReactElement {
  const { tag, onClose } = props;
  const { change } = useOwnChanges(keys.tags);
  const [name, setName] = useState(tag?.name ?? '');
  const [description, setDescription] = useState(tag?.description ?? '');
  const [background, setBackground] = useState(() => fullColour(tag?.background_color ?? null));
  const save = async (): Promise<void> => {
    const note = description.trim() === '' ? null : description.trim();
    const colour = background === null ? null : background.slice(1).toUpperCase();
    const values = { name: name.trim(), description: note, background_color: colour };
    if (tag === undefined)
      await change(() => createTag(values), categoriesTexts.created(values.name));
    else await change(() => updateTag(tag.id, values), categoriesTexts.changed(values.name));
    onClose();
  };
  return (
    <Dialog
      title={tag === undefined ? categoriesTexts.addTag : categoriesTexts.edit}
      closeLabel={ownChangesTexts.close}
      onClose={onClose}
    >
      <SubmitForm canSubmit={name.trim() !== ''} work={save}>
        <TextField
          label={t.name}
          required
          autoFocus
          maxLength={100}
          value={name}
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
      </SubmitForm>
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
