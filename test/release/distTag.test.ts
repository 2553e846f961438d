import { validRange } from 'semver';
import { distTagOf, versionOf } from '../../release/distTag';

test.each([
	['the first release', '1.0.0', undefined, 'latest', 'undici'],
	['the next release', '1.1.0', '1.0.0', 'latest', 'undici'],
	['a beta', '2.0.0-beta.1', '1.1.0', 'next', 'next-undici'],
	['a beta before any release', '1.0.0-beta.1', undefined, 'next', 'next-undici'],
	['a hotfix of an old line', '1.0.1', '1.1.0', 'line-1.0', 'line-1.0-undici'],
	['the published version again', '1.1.0', '1.1.0', 'line-1.1', 'line-1.1-undici'],
])('%s gets the right dist-tag', (_case, version, latest, verified, undici) => {
	expect(distTagOf('verified', version, latest)).toBe(verified);
	expect(distTagOf('undici', version, latest)).toBe(undici);
	for (const tag of [verified, undici]) expect(validRange(tag)).toBeNull();
});

test('the builds have versions of their own', () => {
	expect(versionOf('verified', '1.2.3')).toBe('1.2.3');
	expect(versionOf('undici', '1.2.3')).toBe('1.2.3-undici.0');
});
