import { isDeepStrictEqual } from 'node:util';
import type { Played } from '../play/played';
import { errorOfConversation, sentMessages } from '../scenario/conversations';
import type { ChatNode, ScenarioNode } from '../scenario/schema';
import { promptFor } from '../scenario/workflow';
import type { TruthRequest } from '../service';
import { type Claim, errorItems, hasErrorOfStop, thrownErrors } from './evidence';
import { fieldsSet, systemMessages, wrongField } from './formFields';
import type { Promised } from './promise';

/** A request is what the form says, and what the form must not say is never sent. */
export const asked: Promised = {
	name: 'Sent as asked',
	says: 'A request has the fields that the form sets, with their values and types, and no others. A value that the service does not accept is refused before anything is sent, under its name in the form; no other value is refused.',
	except: ['Videos that replace failed ones are asked for by their number.'],
	alsoKeptBy: ['test/nodes/chat/request.test.ts', 'test/interface/nodes.test.ts'],
	check: (played) => [
		...askingNodes(played).flatMap((node) => [
			...unlikeForm(played, node),
			...sentAnyway(played, node),
		]),
		...refusals(played),
		...taskIds(played),
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

/** What a request may be: a user who edits a workflow may choose another model, format and user. */
function expectedBodies(
	{ scenario: { events, afterwards } }: Played,
	node: AskingNode,
	{ rawPrompt, model, n, attempt }: TruthRequest,
): object[] {
	const isOther = events.some((event) => event.what === 'second' && event.otherModels);
	const common = { model: isOther ? model : node.model, ...fieldsSet(node) };
	if (node.kind !== 'video') {
		const system = systemMessages(node).map((content) => ({ role: 'system', content }));
		const { conversation } = node as Partial<ChatNode>;
		const said = conversation && sentMessages(conversation, rawPrompt);
		const messages = [...system, ...(said || [{ role: 'user', content: rawPrompt }])];
		const isStream = node.kind === 'chat' && node.stream === true;
		const more = node.kind === 'chat' ? addedTo(node) : {};
		const whole = { ...common, messages, ...more };
		const stream = { ...whole, stream: true };
		// An agent decides for itself whether it reads a stream.
		return node.kind === 'model' ? [whole, stream] : [isStream ? stream : whole];
	}
	// Another service counts anew.
	const isFirst = attempt === 1 && !afterwards.includes('retryOther');
	const count = isFirst ? node.n : node.n === undefined ? undefined : n;
	const format = node.inline ? 'b64_json' : undefined;
	const body = (response_format: string | undefined, changes: object = {}, number = count) => ({
		...common,
		prompt: rawPrompt,
		...(number !== undefined && { n: number }),
		...(response_format !== undefined && { response_format }),
		...addedTo(node),
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

/** By Additional Body. */
function addedTo({ additionalBody }: { additionalBody?: boolean | undefined }): object {
	return additionalBody ? { seed: 7 } : {};
}

function sentAnyway(played: Played, node: AskingNode): string[] {
	const wrong = wrongInput(node);
	const sent = wrong.length === 0 ? [] : requestsOf(played, node);
	return sent.length === 0
		? []
		: [`${node.name} sends ${sent.length} requests that must be refused: ${wrong.join(', ')}`];
}

/** How errors may begin that name what the service does not take in the form of a node. */
function wrongInput(node: ScenarioNode): string[] {
	const { conversation } = node as Partial<ChatNode>;
	const field = wrongField(node);
	const { label, name } = field ?? { label: '', name: '' };
	const shown = label.toLowerCase() === name ? label : `${label} (${name})`;
	return [errorOfConversation(conversation) ?? [], field === undefined ? [] : `${shown} `].flat();
}

/** Of a parameter, not of an answer. A sentence follows where an agent reads the message. */
const REFUSAL =
	/ (must (be|not|contain)|is empty\.?|contains(?! an invalid chunk)|(?<!answer )is not valid) /;

/** An item is refused for a value that the service does not take, which the error names as the form does, and for no other. */
function refusals(played: Played): string[] {
	const { scenario, rows } = played;
	// Who has no credential is told so first.
	if (scenario.events.some(({ what }) => what === 'deleteCredential')) return [];
	return [...errorItems(played), ...thrownErrors(played)].flatMap((claim) => {
		const { node, error, row } = claim;
		if (!asks(node) || !isInOrder(played, claim) || hasErrorOfStop(row, rows)) return [];
		const isRefused =
			error.code === 'invalid_input' || (error.code === '' && REFUSAL.test(`${error.message} `));
		const wrong = wrongInput(node);
		if (wrong.length === 0)
			return isRefused ? [`${whatOf(claim)} is refused: ${error.message}`] : [];
		const isNamed = wrong.some((begin) => error.message.startsWith(begin)) && isRefused;
		return isNamed
			? []
			: [`${whatOf(claim)} fails without naming "${wrong.join()}": ${error.message}`];
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

/** A task ID that is none is refused under its name; white space around one is none of it. */
function taskIds(played: Played): string[] {
	const { scenario, truth } = played;
	return scenario.nodes.flatMap((node) => {
		if (node.kind !== 'video' || node.taskId === undefined) return [];
		// A URL, with a query or without, may be the ID of a task.
		if (['spaced', 'URL', 'query'].includes(node.taskId)) return [];
		const polls = truth.requests.filter(({ endpoint }) => endpoint === 'poll').length;
		const own = [...errorItems(played), ...thrownErrors(played)].filter(
			(each) => each.node === node && each.error.code !== 'cancelled',
		);
		const unnamed = own.flatMap(({ error: { message }, row }) =>
			/^Task ID |stopped|cancel|credential/i.test(message)
				? []
				: [`execution ${row.id}, ${node.name}: the Task ID (${node.taskId}) fails as ${message}`],
		);
		return [...(polls > 0 ? [`${polls} polls of a Task ID (${node.taskId})`] : []), ...unnamed];
	});
}
