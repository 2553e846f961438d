import { Logger } from '@n8n/backend-common';
import { Container } from '@n8n/di';

/** The lines that n8n's log gets in each test, of these levels. */
export function useLog(...levels: Array<'debug' | 'info' | 'warn'>): string[] {
	const lines: string[] = [];
	const original = Container.get(Logger);
	const record = { value: (line: string) => void lines.push(line) };
	beforeEach(() => {
		lines.length = 0;
		const recorded = Object.fromEntries(levels.map((level) => [level, record]));
		// Another one of the same file may record other levels.
		Container.set(Logger, Object.create(Container.get(Logger), recorded) as Logger);
	});
	afterEach(() => void Container.set(Logger, original));
	return lines;
}
