import { shortForm } from './testing/short-form.ts';
import { check } from './f19-migrations.ts';

shortForm(check);
