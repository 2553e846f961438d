import type { Simulator } from '../../../simulator';
import { useModel } from '../../engine/runAgent';

/** Fails unless the chat model says that n8n has no SDK for AI nodes. */
export async function expectMissingAiSdk(simulator: Simulator): Promise<void> {
	const ask = useModel(simulator, async (model) => (await model.invoke([['user', 'Hello']])).text);
	const { error, run } = await ask;
	const message = 'This version of n8n cannot run the Generation Service Chat Model';
	expect(error?.description).toBe(message);
	expect(run.data.resultData.runData.Model?.[0]?.error).toMatchObject({
		message,
		description: expect.stringMatching(
			/2\.16 or later.*OpenAI Chat Model.*Chat Completion node\.\n.*Cannot find module.*$/,
		),
		node: { name: 'Model' },
	});
	expect(simulator.count('chat')).toBe(0);
}
