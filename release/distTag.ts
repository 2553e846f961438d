import { gt, major, minor, parse } from 'semver';

export type Build = 'verified' | 'undici';

/** The version of a build. npm accepts each version once, so the undici build has its own, which npm installs only on request. */
export function versionOf(build: Build, version: string): string {
	return build === 'verified' ? version : `${version}-undici.0`;
}

/**
 * The dist-tag that a version gets. `latest` is what n8n's Update button installs, so only the highest release moves it.
 * @param latest the published version with the tag `latest`, if there is one
 */
export function distTagOf(build: Build, version: string, latest: string | undefined): string {
	const prerelease = (parse(version)?.prerelease.length ?? 0) > 0;
	const suffix = build === 'undici' ? '-undici' : '';
	if (prerelease) return `next${suffix}`;
	// npm refuses a tag that reads like a range, such as `1.2`.
	if (latest && !gt(version, latest)) return `line-${major(version)}.${minor(version)}${suffix}`;
	return build === 'undici' ? 'undici' : 'latest';
}
