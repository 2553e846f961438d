import type { Played } from '../play/played';
import { MODELS, VERSIONS } from '../service/settings';
import { isErrorItem, itemOf, nodeRuns } from './evidence';

/** Each item of a list of models is followed by all models that the node asks for, in the order of the service. */
export function modelLists(played: Played): string[] {
	const hasNoKinds = played.scenario.service.faults.some(({ fault }) => fault === 'models-names');
	return nodeRuns(played).flatMap(({ node, input, outputs, row, task }) => {
		if (node.kind !== 'list' || task.error !== undefined) return [];
		// A tool has no items.
		if (played.scenario.shape === 'agent') return [];
		const { kind = '', search = '', versions = 'all', limit = Infinity } = node.only ?? {};
		const has = (text: string, part: string) => text.includes(part.toLowerCase());
		const chosen = ofVersions(versions)
			.filter(
				({ id, type }) => has(id, search) && (kind === '' || (!hasNoKinds && has(type, kind))),
			)
			.slice(0, limit);
		const expected = chosen.map(({ id }) => JSON.stringify(versionOf(id))).join();
		return [...(node.executeOnce ? [0] : input.keys())].flatMap((index) => {
			const own = outputs.flat().filter(({ pairedItem }) => itemOf(pairedItem) === index);
			const found = own
				.filter(({ json }) => json.id !== undefined)
				.map(({ json: { id, base_name: of, version_date: date } }) =>
					JSON.stringify({ id, of, date }),
				)
				.join();
			return own.some(isErrorItem) || found === expected || row.status !== 'success'
				? []
				: [`execution ${row.id}, ${node.name}: the models are ${found}, not ${expected}`];
		});
	});
}

function versionOf(id: string) {
	return { id, ...(VERSIONS[id] ?? { of: id, date: null }) };
}

function ofVersions(versions: 'all' | 'latest' | 'undated') {
	if (versions === 'undated') return MODELS.filter(({ id }) => VERSIONS[id] === undefined);
	if (versions === 'all') return MODELS;
	const newest = MODELS.filter(({ id }) => {
		const { of, date } = versionOf(id);
		return !Object.values(VERSIONS).some((one) => one.of === of && one.date > (date ?? ''));
	});
	const place = ({ id }: { id: string }) =>
		MODELS.findIndex((other) => versionOf(other.id).of === versionOf(id).of);
	return newest.toSorted((one, other) => place(one) - place(other));
}
