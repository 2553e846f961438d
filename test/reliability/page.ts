import { FAULTS } from '../../simulator';
import { casesOf, type Expected } from './faultTable';
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

Every way to the service against every fault that the simulator can play. Each cell is a test that runs the node through
n8n's engine twice: the fault strikes one request, and then every request. What the cell says is what the user got and what
the service received.

| in a cell | the fault strikes once | the fault does not end |
| --- | --- | --- |
| ok | the item is good after one request | the same |
| retried | the item is good after a second request | an error after ${1 + MAX_RETRIES} requests (Max Retries is ${MAX_RETRIES} here), named by its code |
| waits on | the item is good: the task is looked at again | \`wait_timeout\` when Max Wait is over, with the task's id |
| a code | an error after one request | the same |
| a code, may be paid | an error after one request that is not sent again, because the service may have accepted it; the error says so | the same |

What is paid for is sent again only where the service itself said no with a status that the interface calls transient (429,
500, 502, 503). A lost answer is different: nobody knows what became of the request. Looking at a task costs nothing, so
a look is repeated after anything that may pass. Every error about a task carries the task's id.

`;

/** The fault table as a page of the documentation, from the same expectations that the tests check. */
export function reliabilityPage(): string {
	const cases = new Map(
		WAYS.flatMap((way) => casesOf(way).map((entry) => [`${way} ${entry.fault}`, entry])),
	);
	const rows = FAULTS.map(({ name, what }) => {
		const cells = WAYS.map((way) => {
			const entry = cases.get(`${way} ${name}`);
			return entry === undefined ? '' : cell(entry.once, entry.always);
		});
		return cells.every((text) => text === '')
			? ''
			: `| \`${name}\`: ${what} | ${cells.join(' | ')} |\n`;
	});
	const head = WAYS.map((way) => TITLES[way]).join(' | ');
	return `${INTRODUCTION}| fault | ${head} |\n| --- |${' --- |'.repeat(WAYS.length)}\n${rows.join('')}`;
}

function cell(once: Expected, always: Expected): string {
	const failure = `\`${always.code}\`${always.mayBePaid ? ', may be paid' : ''}`;
	if (always.code === undefined) return 'ok';
	if (once.code === always.code) return failure;
	if (once.code !== undefined) return `\`${once.code}\`, ${failure}`;
	if (always.code === 'wait_timeout') return 'waits on';
	return once.requests === undefined ? `waits on, then ${failure}` : `retried, ${failure}`;
}
