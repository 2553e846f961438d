import { PAGES, readPage } from './pages';

test.each(Object.entries(PAGES))('%s is as `npm run docs` writes it', (page, write) => {
	expect(readPage(page)).toBe(write(readPage(page)));
});
