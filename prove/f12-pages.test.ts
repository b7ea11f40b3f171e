import { shortForm } from './testing/short-form.ts';
import { check } from './f12-pages.ts';

shortForm(check);
