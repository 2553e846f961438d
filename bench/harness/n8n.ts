/** What runs nodes, with n8n's engine: loaded by the contestants that need it, since the others would carry it. */
export async function loadN8n() {
	return {
		...(await import('./nodes.js')),
		...(await import('./chat.js')),
		...(await import('./video.js')),
	};
}

export type N8n = Awaited<ReturnType<typeof loadN8n>>;
