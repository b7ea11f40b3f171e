import { shortForm } from './testing/short-form.ts';
import { check } from './f10-fuzz.ts';

shortForm(check);
