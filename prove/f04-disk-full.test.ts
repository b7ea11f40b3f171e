import { shortForm } from './testing/short-form.ts';
import { check } from './f04-disk-full.ts';

shortForm(check);
