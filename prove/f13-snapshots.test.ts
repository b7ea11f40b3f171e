import { shortForm } from './testing/short-form.ts';
import { check } from './f13-snapshots.ts';

shortForm(check);
