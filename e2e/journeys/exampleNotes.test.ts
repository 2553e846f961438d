import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { Canvas } from '../browser/canvas';
import { journey } from '../browser/journey';
import { ROOT } from '../host/folders';

const folder = join(ROOT, 'examples');

// As many pages as there are examples.
jest.setTimeout(600_000);

journey('every example can be imported, and its notes are shown completely', async (given) => {
	const { page, screenshot } = given;
	const canvas = new Canvas(page);
	const truncated: string[] = [];
	for (const file of readdirSync(folder).filter((file) => file.endsWith('.json'))) {
		await canvas.importFile(join(folder, file));
		await page.getByTestId('zoom-to-fit').click();
		truncated.push(...(await canvas.truncatedNotes()));
		await screenshot(file);
	}
	expect(truncated).toEqual([]);
});
