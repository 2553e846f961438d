import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { faultTable } from '../../simulator/faultList';

it("the simulator's README lists every fault", () => {
	const text = readFileSync(join(__dirname, '../../simulator/README.md'), 'utf8');
	const [, listed] = /<!-- faults -->\n([^]*)\n<!-- \/faults -->/.exec(text) ?? [];
	expect(listed).toBe(faultTable());
});
