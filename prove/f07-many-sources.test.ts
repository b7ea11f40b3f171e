import { shortForm } from './testing/short-form.ts';
import { check } from './f07-many-sources.ts';

shortForm(check);
