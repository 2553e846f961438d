declare module 'proxy-from-env' {
	/** @returns the value of a variable; empty without a proxy */
	export function getProxyForUrl(url: URL): string;
}
