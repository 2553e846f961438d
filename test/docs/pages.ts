import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { faultsPage } from '../reliability/page';
import { compatibilityPage } from './compatibilityPage';
import { errorsPage } from './errorsPage';
import { promisesPage } from './promisesPage';

/** The pages with generated parts, by the function that writes these again. */
export const PAGES: Readonly<Record<string, (page: string) => string>> = {
	'docs/compatibility.md': compatibilityPage,
	'docs/errors.md': errorsPage,
	'docs/promises.md': promisesPage,
	'test/reliability/README.md': faultsPage,
};

export const pathOf = (page: string) => join(__dirname, '../..', page);
export const readPage = (page: string) => readFileSync(pathOf(page), 'utf8');
