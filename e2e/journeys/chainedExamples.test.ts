import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ParsedMail } from 'mailparser';
import { ImportedExample } from '../browser/importedExample';
import { type ServerJourney, serverJourney } from '../browser/journey';
import { until } from '../host/until';
import { Mailbox } from '../receivers/mailbox';
import { startS3 } from '../receivers/s3';

const PROMPT = 'A paper boat on a lake';
const ADDRESS = 'you@example.com';

/** Plays an example that sends e-mails. */
async function withMailbox(
	{ api, credential }: ServerJourney,
	play: (mailbox: Mailbox, credentials: { smtp: { id: string; name: string } }) => Promise<void>,
) {
	const mailbox = await Mailbox.open();
	try {
		const { type, data } = mailbox.credential;
		const smtp = await api.saveCredential(`Mail of ${credential.name}`, type, data);
		await play(mailbox, { smtp });
	} finally {
		await mailbox.close();
	}
}

/** Opens the link with this text, as a browser does: n8n ignores a program that only looks at it. */
async function click({ html }: ParsedMail, text: string): Promise<void> {
	const links = [...String(html).matchAll(/href="([^"]*)"/g)].map(([, link = '']) => link);
	const headers = {
		'user-agent': 'Mozilla/5.0 (X11; Linux x86_64) Chrome/140.0.0.0 Safari/537.36',
	};
	const link = links.find((one) => one.includes(text))?.replaceAll('&amp;', '&');
	expect((await fetch(link ?? '', { headers })).status).toBe(200);
}

async function untilStatus(example: ImportedExample, api: ServerJourney['api'], wanted: string) {
	await until(async () => {
		const [latest] = await api.executions(example.workflowId);
		return latest?.status === wanted;
	}, 150_000);
}

serverJourney(
	'a video is made only after someone approved it by e-mail, and its link comes by e-mail',
	async (given) => {
		const { api, simulator } = given;
		await withMailbox(given, async (mailbox, credentials) => {
			const file = 'approve-by-email.json';
			const example = await ImportedExample.publish(given, file, {}, credentials);
			await example.submitForm(PROMPT, ADDRESS);
			const request = await mailbox.mail('Approve a video?');
			expect(request.text).toContain(PROMPT);
			expect(simulator.submissions).toBe(0);
			await untilStatus(example, api, 'waiting');
			await click(request, 'approved=true');
			const ready = await mailbox.mail('Your video is ready');
			expect(simulator.tasks).toMatchObject([{ prompt: PROMPT }]);
			expect(ready.text).toContain(`${simulator.url}/files/${simulator.tasks[0]?.id}.mp4`);
			await untilStatus(example, api, 'success');
			await example.unpublish();
		});
	},
	{ videoSeconds: 1 },
);

serverJourney(
	'a video that nobody approves is not submitted, and its e-mail says so',
	async (given) => {
		await withMailbox(given, async (mailbox, credentials) => {
			const file = 'approve-by-email.json';
			const example = await ImportedExample.publish(given, file, {}, credentials);
			await example.submitForm(PROMPT, ADDRESS);
			const request = await mailbox.mail('Approve a video?');
			await untilStatus(example, given.api, 'waiting');
			await click(request, 'approved=false');
			expect((await mailbox.mail('There is no video')).text).toContain('It was not approved.');
			await example.unpublish();
			expect(given.simulator.submissions).toBe(0);
		});
	},
);

const SHORT_LIMIT = { limitType: 'afterTimeInterval', resumeAmount: 0.02, resumeUnit: 'minutes' };

serverJourney(
	'an approval that nobody gives, and a page that nobody opens, end when their limit is over',
	async (given) => {
		const { api, simulator } = given;
		await withMailbox(given, async (mailbox, credentials) => {
			const options = { limitWaitTime: { values: SHORT_LIMIT } };
			const file = 'approve-by-email.json';
			const limited = { 'Ask for Approval': { options } };
			const example = await ImportedExample.publish(given, file, limited, credentials);
			await example.submitForm(PROMPT, ADDRESS);
			expect((await mailbox.mail('There is no video')).text).toContain('It was not approved.');
			await untilStatus(example, api, 'success');
			await example.unpublish();
			expect(simulator.submissions).toBe(0);
		});
		const form = await ImportedExample.publish(given, 'videos-from-a-form.json', {
			'Your Video': SHORT_LIMIT,
		});
		await form.submitForm('Boat', PROMPT);
		await untilStatus(form, api, 'success');
		await form.unpublish();
		expect(simulator.submissions).toBe(1);
	},
	{ videoSeconds: 1 },
);

serverJourney(
	'a video requested by form is made while its execution waits in the database, and its link comes by e-mail',
	async (given) => {
		const { api, simulator } = given;
		await withMailbox(given, async (mailbox, credentials) => {
			const file = 'video-by-email.json';
			const example = await ImportedExample.publish(given, file, {}, credentials);
			await example.submitForm(PROMPT, ADDRESS);
			await untilStatus(example, api, 'waiting');
			const { text, to } = await mailbox.mail('Your video is ready');
			expect(text).toContain(`${simulator.url}/files/${simulator.tasks[0]?.id}.mp4`);
			expect(to).toMatchObject({ text: ADDRESS });
			await example.submitForm(`${PROMPT} [fault:content-filtered]`, ADDRESS);
			expect((await mailbox.mail('There is no video')).text).toContain('content policy');
			await example.unpublish();
			expect(simulator.submissions).toBe(1);
		});
	},
	{ videoSeconds: 1 },
);

serverJourney(
	'an idea becomes scenes, each a clip in S3 and a row of a table, which has the task_id if S3 refuses the clip',
	async (given) => {
		const { api, credential, simulator } = given;
		const folder = await mkdtemp(join(tmpdir(), 'clips-'));
		const storage = await startS3(folder);
		try {
			const { type, data } = storage.credential;
			const s3 = await api.saveCredential(`Storage of ${credential.name}`, type, data);
			const file = 'idea-to-clips.json';
			const example = await ImportedExample.import(given, file, {}, { s3 });
			await example.execute();
			const rows = (await api.tableRows('Clips')).slice(-3);
			expect(rows).toMatchObject(
				['Opening', 'Middle', 'End'].map((scene) => ({ scene, status: 'uploaded', error: null })),
			);
			expect(simulator.submissions).toBe(3);
			for (const { task_id, file: name } of rows) {
				const response = await fetch(`${simulator.url}/files/${String(task_id)}.mp4`);
				const made = Buffer.from(await response.arrayBuffer());
				expect(await storage.read(String(name))).toEqual(made);
			}
			const elsewhere = { Upload: { bucketName: 'no-such-bucket' } };
			const failing = await ImportedExample.import(given, file, elsewhere, { s3 });
			await failing.execute();
			const lost = (await api.tableRows('Clips')).slice(-3);
			expect(lost).toMatchObject(
				simulator.tasks.slice(3).map(({ id }) => ({ status: 'failed', task_id: id })),
			);
			expect(lost[0]?.error).toMatch(/could not be found/);
		} finally {
			await storage.close();
			await rm(folder, { recursive: true });
		}
	},
	{ videoSeconds: 0.5 },
);

serverJourney(
	"an agent's video reaches the next node as a file",
	async (given) => {
		const { api, simulator } = given;
		const example = await ImportedExample.import(given, 'agent-to-file.json');
		await example.execute();
		expect(simulator.tasks).toMatchObject([{ prompt: 'A lighthouse on a stormy night.' }]);
		const [id] = simulator.tasks.map((task) => task.id);
		expect(await example.itemsOf('Wait')).toMatchObject([{ task_id: id, status: 'completed' }]);
		const [execution] = await api.executions(example.workflowId);
		const { runData } = await api.executionData(execution?.id ?? '');
		expect(runData.Wait?.[0]?.data?.main[0]).toMatchObject([
			{ binary: { data: { fileName: `${id}.mp4`, mimeType: 'video/mp4' } } },
		]);
	},
	{ videoSeconds: 0.5 },
);
