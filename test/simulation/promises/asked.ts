import { isDeepStrictEqual } from 'node:util';
import type { Played } from '../play/played';
import type { ScenarioNode } from '../scenario/schema';
import { promptFor } from '../scenario/workflow';
import type { TruthRequest } from '../service/truth';
import { type Claim, errorItems, hasErrorOfStop, thrownErrors } from './evidence';
import type { Promised } from './promise';

/** A request is what the form says, and what the form must not say is never sent. */
export const asked: Promised = {
	name: 'Sent as asked',
	says: 'A request has the fields that the form sets, with their values and types, and no others. A value that the service does not accept is refused before anything is sent, under its name in the form; no other value is refused.',
	except: ['Videos that replace failed ones are asked for by their number.'],
	alsoKeptBy: [
		'test/nodes/chat/request.test.ts',
		'test/nodes/chat/badInput.test.ts',
		'test/interface/nodes.test.ts',
	],
	check: (played) => [
		...askingNodes(played).flatMap((node) => unlikeForm(played, node)),
		...refusals(played),
	],
};

type AskingNode = Exclude<ScenarioNode, { kind: 'list' }>;

function asks(node: ScenarioNode): node is AskingNode {
	return node.kind !== 'list' && (node.kind !== 'video' || /generate|submit/.test(node.operation));
}

function askingNodes({ scenario }: Played): AskingNode[] {
	return scenario.nodes.filter(asks);
}

function requestsOf({ truth }: Played, { name, kind }: AskingNode): TruthRequest[] {
	const endpoint = kind === 'video' ? 'submit' : 'chat';
	return truth.requests.filter(
		(each) => each.endpoint === endpoint && each.prompt.endsWith(` for ${name}`),
	);
}

function unlikeForm(played: Played, node: AskingNode): string[] {
	return requestsOf(played, node).flatMap((request) => {
		const { body, prompt } = request;
		// An agent may have two models of one name.
		const same = askingNodes(played).filter(({ name }) => name === node.name);
		const expected = same.flatMap((one) => expectedBodies(played, one, request));
		if (expected.some((one) => isDeepStrictEqual(body, one))) return [];
		return [
			`"${prompt}" is sent as ${JSON.stringify(body)}, not as ${JSON.stringify(expected[0])}`,
		];
	});
}

/** What the form of a video shows before anybody changes it. */
const SHOWN = { size: '720p', duration: 5 };

/** What a request may be: a user who edits a workflow may choose another model, format and user. */
function expectedBodies(
	{ scenario: { events, afterwards } }: Played,
	node: AskingNode,
	{ rawPrompt, model, n, attempt }: TruthRequest,
): object[] {
	const isOther = events.some((event) => event.what === 'second' && event.otherModels);
	const common = { model: isOther ? model : node.model };
	if (node.kind !== 'video') {
		const whole = { ...common, messages: [{ role: 'user', content: rawPrompt }] };
		const stream = { ...whole, stream: true };
		// An agent decides for itself whether it reads a stream.
		if (node.kind === 'model') return [whole, stream];
		return [node.stream ? stream : whole];
	}
	const isFirst = attempt === 1;
	const count = isFirst ? node.n : node.n === undefined ? undefined : n;
	const format = node.inline ? 'b64_json' : undefined;
	const body = (response_format: string | undefined, changes: object = {}, number = count) => ({
		...common,
		...SHOWN,
		prompt: rawPrompt,
		...(number !== undefined && { n: number }),
		...(response_format !== undefined && { response_format }),
		...changes,
	});
	// Each such Retry sets the other format.
	const formats = format === undefined ? ['b64_json', 'url'] : ['url', 'b64_json'];
	const retries = afterwards.filter((step) => step === 'retryReformatted').length;
	const replaces = !isFirst && node.n === undefined ? [undefined, 1] : [count];
	return replaces.flatMap((number) => [
		body(format, {}, number),
		...formats.slice(0, retries).map((other) => body(other, { user: 'edited' }, number)),
	]);
}

/** Of a parameter, not of an answer. A sentence follows where an agent reads the message. */
const REFUSAL =
	/ (must (be|not|contain)|is empty\.?|contains(?! an invalid chunk)|(?<!answer )is not valid) /;

/** All values of a form are good. */
function refusals(played: Played): string[] {
	const { scenario, rows } = played;
	// Who has no credential is told so first.
	if (scenario.events.some(({ what }) => what === 'deleteCredential')) return [];
	return [...errorItems(played), ...thrownErrors(played)].flatMap((claim) => {
		const { node, error, row } = claim;
		if (!asks(node) || !isInOrder(played, claim) || hasErrorOfStop(row, rows)) return [];
		const isRefused =
			error.code === 'invalid_input' || (error.code === '' && REFUSAL.test(`${error.message} `));
		return isRefused ? [`${whatOf(claim)} is refused: ${error.message}`] : [];
	});
}

/** Nothing but a field of the form can be wrong. */
function isInOrder({ scenario }: Played, { node, item }: Claim): boolean {
	if (!asks(node)) return false;
	// A call of a tool is for one of the items.
	const items =
		scenario.shape === 'agent' ? scenario.items : item === undefined ? undefined : [item];
	if (items === undefined || items.some(({ bad }) => bad !== undefined)) return false;
	return node.kind === 'model' || (node.prompt !== 'missing' && node.maxBillable !== 'nothing');
}

function whatOf({ node, item, row }: Claim): string {
	const prompt = item === undefined ? '' : promptFor(node, item);
	return `execution ${row.id}, ${node.name}: "${prompt}"`;
}
