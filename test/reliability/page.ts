import { FAULTS } from '../../simulator';
import { CONNECTION_FAULTS, connectionCases } from './connectionFaults';
import type { Expected } from './expected';
import { casesOf } from './faultTable';
import { TOLD } from './messages';
import { MAX_RETRIES, type Way, WAYS } from './ways';

const TITLES: Record<Way, string> = {
	chat: 'chat',
	chatStream: 'chat stream',
	models: 'models',
	submit: 'submit video',
	poll: 'wait for video',
	get: 'get video',
	download: 'download',
};

const INTRODUCTION = `# What happens when something goes wrong

Every way to the service against every fault that the simulator can play, and against faults of the network before it.
Each cell is a test that runs the node through n8n's engine three times: the fault strikes one request; it strikes every
request; and every request of a node that stops the workflow. The test checks what the user gets, and how many requests
the service receives and at which intervals.

| in a cell | the fault strikes once | the fault does not end |
| --- | --- | --- |
| ok | the item is good after one request | the same |
| retried | the item is good after a second request | an error after ${1 + MAX_RETRIES} requests (Max Retries is ${MAX_RETRIES} here), named by its code |
| retried after 1 s | the second request comes just as long after the first as the service asks | the same pause each time |
| waits on | the item is good: the task is looked at again | \`wait_timeout\` when Max Wait is over, with the task's id |
| a code | an error after one request | the same |
| a code, may be paid | an error after one request that is not sent again, because the service may have accepted it; the error says so | the same |

What is paid for is sent again only where the service itself said no with a status that the interface calls transient (429,
500, 502, 503), or where no connection was made. A lost answer is different: nobody knows what became of the request.
Looking at a task costs nothing, so a look is repeated after anything that may pass. Every error about a task carries the
task's id, and every error of a stream the text that arrived before it.

Where the service does not say how long to wait, a request is sent again after 0.25 to 0.5 seconds, then after 0.5 to 1, 1
to 2 and so on up to 30; chance decides between the two, so that many requests that failed together do not return together.
A 429 or a 503 holds back all requests of the key for that long, and then slows them to a rate that the service takes. A
service that asks to wait for longer than five minutes is not waited for: everything that waits for this key fails at once
with that error, which says how long it asks. Polls of paid tasks go on, and later requests are sent one at a time.

`;

/** The fault table as a page of the documentation, from the same expectations that the tests check. */
export function reliabilityPage(): string {
	const cases = WAYS.flatMap((way) => [...casesOf(way), ...connectionCases(way)]);
	const cells = new Map(
		cases.map(({ way, fault, once, always }) => [`${way} ${fault}`, cell(once, always)]),
	);
	const faults = [...FAULTS.map(({ name, what }) => ({ fault: name, what })), ...CONNECTION_FAULTS];
	const rows = faults
		.map(({ fault, what }) => ({
			name: `\`${fault}\`: ${what}`,
			texts: WAYS.map((way) => cells.get(`${way} ${fault}`) ?? ''),
		}))
		.filter(({ texts }) => texts.some((text) => text !== ''))
		.map(({ name, texts }) => row(name, ...texts));
	const head = row('fault', ...WAYS.map((way) => TITLES[way]));
	return `${INTRODUCTION}${head}${row('---', ...WAYS.map(() => '---'))}${rows.join('')}\n${messages()}`;
}

function messages(): string {
	const rows = Object.entries(TOLD).map(([code, told]) =>
		row(`\`${code}${code.endsWith('_') ? '…' : ''}\``, told.messages.join(' · '), told.class),
	);
	return `## What the errors say

The description of each error goes on with what to do next, and with the service's own words where it has any. A code that
the service sends is kept, also one that the interface does not name: \`status_…\`, \`generation_failed\`, \`upstream_refused\`
and \`oops\` are the simulator's own.

${row('code', 'message', 'error of n8n')}${row('---', '---', '---')}${rows.join('')}`;
}

function row(...cells: string[]): string {
	return `| ${cells.join(' | ')} |\n`;
}

function cell(once: Expected, always: Expected): string {
	const failure = `\`${always.code}\`${always.mayBePaid ? ', may be paid' : ''}`;
	if (always.code === undefined) return 'ok';
	if (once.code === always.code) return failure;
	if (once.code !== undefined) return `\`${once.code}\`, ${failure}`;
	if (always.code === 'wait_timeout') return 'waits on';
	const pauses = Array.isArray(always.pauses) ? always.pauses : [];
	if (pauses.length > MAX_RETRIES) return `waits on, then ${failure}`;
	const [first, second] = pauses;
	return `retried${first === second ? ` after ${first} s` : ''}, ${failure}`;
}
