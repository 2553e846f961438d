import { messageInBetween, statusOf, STATUS_TABLE } from '../../gateway/errors/statuses';
import { NOT_CONNECTED } from '../../gateway/errors/networkError';
import { linkToMessage } from './messagesPage';
import { NODE_CODES } from './nodeCodes';
import { table, withGenerated } from './table';

type Status = (typeof STATUS_TABLE)[number];

const code = (name: string) => `\`${name}\``;

/** Statuses that are not in the table, by what the page calls them. */
const OTHERS: ReadonlyArray<[name: string, status: number]> = [
	['2xx with an error in the body', 200],
	['3xx', 300],
	['303', 303],
	['402', 402],
	['422', 422],
	["529 or overloaded_error in the service's JSON", 503],
	['408, 425, 504 and above', 504],
	['any other', 499],
];

const withoutNumber = (text: string, status: number) => text.replace(String(status), '…');

/** Whether the node sends the request again by itself. */
function retries({ isTransient, hidesSuccess, inBetween }: Status): string {
	if (!isTransient) return hidesSuccess ? 'no: it may have been accepted' : 'no';
	if (hidesSuccess === 'always') return 'unless it is billable';
	if (hidesSuccess === undefined) return 'yes';
	return inBetween === 'if late'
		? "yes; a billable request not after 10 seconds without the service's JSON"
		: "yes; a billable request only with the service's JSON";
}

function statusRow(name: string, entry: Status): string[] {
	const { status, message } = entry;
	return [
		name,
		code(withoutNumber(entry.code, status)),
		linkToMessage(withoutNumber(message, status)),
		retries(entry),
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

const connecting = Object.entries(NOT_CONNECTED).map(([name, { message, advice }]) => [
	code(name),
	`${linkToMessage(message)}. The request was not sent.`,
	advice,
]);
const ofNodes = Object.entries(NODE_CODES).map(([name, texts]) => [code(name), ...texts]);

/** docs/errors.md with its tables written again. */
export function errorsPage(page: string): string {
	const tables = {
		statuses: table(['status', 'code', 'message', 'retried by the node'], [...known, ...others]),
		'other servers': table(['status', 'code'], otherServers),
		'codes of the node': table(['code', 'when', 'what to do'], [...ofNodes, ...connecting]),
	};
	return Object.entries(tables).reduce(
		(text, [name, content]) => withGenerated(text, name, content),
		page,
	);
}
