import type { IExecuteFunctions, INodeType } from 'n8n-workflow';
import { VideoGeneration } from '../../../nodes/VideoGeneration/VideoGeneration.node';
import { runNode, storedCharacters, time, waitingNode } from './waitingNode';

/** Waits like n8n's Wait node. */
const waitNode: INodeType = {
	description: new VideoGeneration().description,
	async execute(this: IExecuteFunctions) {
		await this.putExecutionToWait(new Date(time.now() + 65_000));
		return [this.getInputData()];
	},
};

test("what n8n stores is at most two and a half times as large as with n8n's Wait node", async () => {
	const ours = await runNode(waitingNode());
	const waitNodeRun = await runNode(waitingNode({ nodeType: waitNode }));
	const [plain = 0] = waitNodeRun.waits.map(({ data }) => storedCharacters(data));
	const [first = 0, ...later] = ours.waits.map(({ data }) => storedCharacters(data));
	expect(first / plain).toBeGreaterThan(1);
	expect(first / plain).toBeLessThan(2.5);
	expect(later).toHaveLength(1);
	// Later pauses also store all that a poll said.
	for (const characters of later) expect(characters / plain).toBeLessThan(2.5);
});
