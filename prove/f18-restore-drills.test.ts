import { shortForm } from './testing/short-form.ts';
import { check } from './f18-restore-drills.ts';

shortForm(check);
