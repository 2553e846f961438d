/** n8n's request helper does not tell a proxy's responses and failures from those of the service. */
export const POSSIBLE_PROXY =
	' If n8n reaches the service through a proxy (HTTP_PROXY or HTTPS_PROXY of the n8n host), it may be the proxy that refused, failed or requires a login.';
