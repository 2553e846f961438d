import { messageInBetween, statusOf, STATUS_TABLE } from '../../gateway/errors/statuses';
import { NOT_CONNECTED } from '../../gateway/errors/networkError';
import { NEVER_SENT, NODE_CODES } from './nodeCodes';
import { table, withGenerated } from './table';

type Status = (typeof STATUS_TABLE)[number];

/** What decides about a billable request is more than its status. */
const RETRIED = 'retried, if not [billable](reliability.md#billable-requests)';

const code = (name: string) => `\`${name}\``;

/** Statuses that are not in the table, by what the page calls them. */
const OTHERS: ReadonlyArray<[name: string, status: number]> = [
	['2xx with an error in the body', 200],
	['3xx', 300],
	['402', 402],
	['422', 422],
	["529 or overloaded_error in the service's JSON", 503],
	['408, 425, 504 and above', 504],
	['any other', 499],
];

const withoutNumber = (text: string, status: number) => text.replace(String(status), '…');

function statusRow(name: string, entry: Status): string[] {
	const { status, message } = entry;
	return [
		name,
		code(withoutNumber(entry.code, status)),
		withoutNumber(message, status),
		entry.isTransient ? 'yes' : 'no',
	];
}

const known = STATUS_TABLE.map((entry) => {
	const byStatus = statusOf(entry.status);
	return statusRow(String(entry.status), { ...byStatus, ...entry });
});
const others = OTHERS.map(([name, status]) => statusRow(name, statusOf(status)));

const otherServers = [
	...[...new Set(STATUS_TABLE.map(({ status }) => status))].map(statusOf),
	statusOf(504),
].flatMap(({ status, inBetween: when }) => {
	if (when === undefined) return [];
	const name = status === 504 ? '408, 425, 504 and above' : String(status);
	const says = { always: '', 'with a body': ' with a body', 'if late': ' after 10 seconds' }[when];
	const message = messageInBetween(status);
	return [[name + says, code(withoutNumber(message.code, status))]];
});

const nodeRow = ([name, texts]: [string, string[]]) => [code(name), ...texts];
const ofNodes = Object.entries(NODE_CODES).filter(([name]) => !(name in NEVER_SENT));
const ofNodeJs = Object.entries(NOT_CONNECTED).map(([name, { message, advice }]) => [
	code(name),
	`${message}.`,
	advice,
]);

/** docs/errors.md with its tables written again. */
export function errorsPage(page: string): string {
	const tables = {
		statuses: table(['status', 'code', 'message', RETRIED], [...known, ...others]),
		'other servers': table(['status', 'code'], otherServers),
		'codes of the node': table(['code', 'when', 'what to do'], ofNodes.map(nodeRow)),
		'codes without a connection': table(
			['code', 'when', 'what to do'],
			[...Object.entries(NEVER_SENT).map(nodeRow), ...ofNodeJs],
		),
	};
	return Object.entries(tables).reduce(
		(text, [name, content]) => withGenerated(text, name, content),
		page,
	);
}
