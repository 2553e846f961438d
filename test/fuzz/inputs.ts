import { inspect } from 'node:util';
import fc from 'fast-check';
import { parseCredential } from '../../gateway';
import { readDatedName } from '../../gateway/schemas/models';
import { outcomeOf, property } from './property';

/** Any value that JSON or an expression can have. */
const anything = fc.anything({ withBigInt: true, withDate: true });
export const inputProperties = [
	property(
		'any credential is accepted or refused, and the error does not contain the key',
		fc.record({
			baseUrl: fc.oneof(fc.webUrl(), fc.string(), anything),
			apiKey: fc.oneof(fc.string({ minLength: 8 }), anything),
			videoBasePath: fc.oneof(fc.constantFrom('/v1', '/media/v1'), anything),
			ignoreSslIssues: fc.oneof(fc.boolean(), anything),
		}),
		async (credential) => {
			const { error } = await outcomeOf(() => parseCredential(credential));
			const { apiKey } = credential;
			if (error === undefined || typeof apiKey !== 'string' || apiKey.trim().length < 8) return;
			if (inspect(error).includes(apiKey.trim())) throw new Error('The error contains the key');
		},
	),
	property(
		'the base name and date of a model name make up the name',
		fc.oneof(
			fc.string(),
			fc
				.tuple(fc.string(), fc.constantFrom('@', '-'), fc.nat(99_999_999))
				.map((parts) => parts.join('')),
		),
		(id) => {
			const { baseName, versionDate } = readDatedName(id);
			const digits = versionDate?.replaceAll('-', '');
			const expected =
				digits === undefined ? [id] : [`${baseName}@${digits}`, `${baseName}-${digits}`];
			if (!expected.includes(digits === undefined ? baseName : id))
				throw new Error(`Parsed wrongly: ${id}`);
		},
	),
];
