import { failureOf, stubbedGateway } from './inMemory';

const SHOWN_NOWHERE = 'key-of-tests-0815';

// An error shows 300 characters: the part of a key before the cut would stay, if the body were cut first.
test.each([280, 290, 299])(
	'of a malformed body with the key at character %i, an error shows no part of the key',
	async (at) => {
		const packets = [Buffer.from(`${'-'.repeat(at)}${SHOWN_NOWHERE} and more`)];
		const error = await failureOf(stubbedGateway({ packets, apiKey: SHOWN_NOWHERE }).listModels());
		expect(error.code).toBe('malformed_answer');
		expect(JSON.stringify(error.record)).not.toMatch(/key-|-of-t|0815|--k/);
	},
);
