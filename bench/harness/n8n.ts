/** Loads n8n's engine and the nodes. Only candidates that need them call it, so that the others stay small. */
export async function loadN8n() {
	return {
		...(await import('./nodes.js')),
		...(await import('./chat.js')),
		...(await import('./video.js')),
	};
}

export type N8n = Awaited<ReturnType<typeof loadN8n>>;
