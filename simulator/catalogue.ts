export type ModelType = 'text' | 'video';

export interface ModelRecord {
	id: string;
	object: 'model';
	/** Unix timestamp. */
	created: number;
	owned_by: string;
	type: ModelType;
}

function model(id: string, created: string, owner: string, type: ModelType): ModelRecord {
	const seconds = Date.parse(`${created}T00:00:00Z`) / 1000;
	return { id, object: 'model', created: seconds, owned_by: owner, type };
}

/** Invented models: undated names, and dated names in both forms of the interface document. */
export const CATALOGUE: readonly ModelRecord[] = [
	model('heron-chat', '2025-01-15', 'marshland', 'text'),
	model('heron-chat@20250115', '2025-01-15', 'marshland', 'text'),
	model('heron-chat@20250620', '2025-06-20', 'marshland', 'text'),
	model('pebble-mini', '2025-03-01', 'shoreworks', 'text'),
	model('pebble-mini-20250301', '2025-03-01', 'shoreworks', 'text'),
	model('pebble-mini-20250815', '2025-08-15', 'shoreworks', 'text'),
	model('lantern-reason', '2025-04-10', 'night-office', 'text'),
	model('lantern-reason-20250410', '2025-04-10', 'night-office', 'text'),
	model('willow-write@20241201', '2024-12-01', 'marshland', 'text'),
	model('kite-motion', '2025-05-01', 'skyline', 'video'),
	model('kite-motion@20250501', '2025-05-01', 'skyline', 'video'),
	model('tern-film-20250212', '2025-02-12', 'shoreworks', 'video'),
];
