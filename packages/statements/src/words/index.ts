import type { Vocabulary } from './vocabulary.ts';
import { arabic, chinese, hebrew, japanese, korean, southEastAsian } from './asian.ts';
import { dutch, english, german } from './germanic.ts';
import { danish, finnish, norwegian, swedish } from './nordic.ts';
import { baltic, greek, hungarian, turkish } from './others.ts';
import { french, italian, portuguese, romanian, spanish } from './romance.ts';
import { czech, polish, russian, slovak, southSlavic, ukrainian } from './slavic.ts';

/** All languages whose words are known. */
export const LANGUAGES: readonly Vocabulary[] = [
  english,
  german,
  dutch,
  danish,
  norwegian,
  swedish,
  finnish,
  french,
  spanish,
  portuguese,
  italian,
  romanian,
  polish,
  czech,
  slovak,
  southSlavic,
  russian,
  ukrainian,
  hungarian,
  turkish,
  greek,
  baltic,
  japanese,
  chinese,
  korean,
  hebrew,
  arabic,
  southEastAsian,
];
