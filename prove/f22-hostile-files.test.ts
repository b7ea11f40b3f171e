import { shortForm } from './testing/short-form.ts';
import { check } from './f22-hostile-files.ts';

shortForm(check);
