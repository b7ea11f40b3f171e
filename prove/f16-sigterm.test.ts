import { shortForm } from './testing/short-form.ts';
import { check } from './f16-sigterm.ts';

shortForm(check);
