import { randomUUID } from 'node:crypto';
import { ai, ANSWER, model, QUESTION } from '../browser/aiNode';
import { type ServerJourney, serverJourney } from '../browser/journey';
import { readChunks } from '../browser/streamedResponse';
import { graphOf, type NodeGiven } from '../browser/workflow';

/** What a chat window gets, and what n8n shows of the calls of the model. */
async function chat(
	{ api, credential, environment, simulator }: ServerJourney,
	version: number,
	connected: NodeGiven[],
	prompt: string,
) {
	const webhookId = randomUUID();
	const parameters = { public: true, mode: 'webhook', options: { responseMode: 'streaming' } };
	const trigger = { ...ai('Chat', 'chatTrigger', 1.4, parameters), webhookId };
	const needsFallback = connected.length > 1;
	const agent = ai('Agent', 'agent', version, {
		needsFallback,
		options: { enableStreaming: true },
	});
	const workflow = graphOf(
		`Streams ${webhookId}`,
		credential,
		[trigger, agent, ...connected],
		[
			['Chat', 'Agent'],
			...connected.map(({ name }, index): [string, string, string, number] => [
				name,
				'Agent',
				'ai_languageModel',
				index,
			]),
		],
	);
	const id = await api.publishWorkflow(workflow);
	const url = `${environment.url}/webhook/${webhookId}/chat`;
	const body = { action: 'sendMessage', sessionId: webhookId, chatInput: prompt };
	const chunks = await readChunks(url, body);
	await api.unpublish(id);
	const [execution] = await api.executions(id);
	const { runData } = await api.executionData(execution?.id ?? '');
	return {
		chunks: chunks.flatMap(({ type, content }) => (type === 'item' ? [content ?? ''] : [])),
		calls: (runData.Model ?? []).flatMap(({ data }) => data?.ai_languageModel[0] ?? []),
		requests: simulator.requests.map(({ body: sent }) => sent),
	};
}

for (const version of [2.2, 3.1]) {
	serverJourney(
		`AI Agent ${version} streams, and counts the tokens of the service`,
		async (given) => {
			const options = { additionalBody: '{ "stream_options": { "include_usage": true } }' };
			const { chunks, calls, requests } = await chat(
				given,
				version,
				[model('Model', options)],
				QUESTION,
			);
			expect(chunks.length).toBeGreaterThan(10);
			expect(chunks.join('')).toMatch(ANSWER);
			expect(requests).toMatchObject([{ stream: true, stream_options: { include_usage: true } }]);
			expect(calls).toMatchObject([
				{
					json: {
						tokenUsage: { completionTokens: expect.any(Number), totalTokens: expect.any(Number) },
					},
				},
			]);
		},
	);
}

serverJourney(
	'a fallback model writes its whole answer behind the half of a stream that was cut',
	async (given) => {
		const models = [model('Model', { maxRetries: 0 }, 'fault-stream-cut'), model('Fallback')];
		const { chunks } = await chat(given, 3.1, models, QUESTION);
		const [before, half, whole] = chunks.join('').split('“Why');
		expect(before).toBe('');
		expect(`“Why${whole}`).toMatch(ANSWER);
		expect(whole?.startsWith(half ?? '')).toBe(true);
	},
);
