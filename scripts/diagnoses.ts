import { writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { diagnosesDocument } from './diagnoses-document.ts';

// `npm run docs`: writes docs/diagnoses.md. test/docs/diagnoses.test.ts fails while it is not what this would write.
await writeFile(fileURLToPath(new URL('../docs/diagnoses.md', import.meta.url)), diagnosesDocument());
