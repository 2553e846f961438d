import { useSimulator } from '../../engine/useServers';
import { runNode } from '../../engine/runNode';
import { chatNode } from './chatNode';

const simulator = useSimulator();

test("n8n's insights get the tokens of all answers of a run", async () => {
	const { items, run } = await runNode(simulator, { ...chatNode(), items: [{}, {}] });
	const usages = items.map(({ json }) => json.usage as Record<string, number>);
	const sum = (field: string) => usages.reduce((total, usage) => total + (usage[field] ?? 0), 0);
	expect(run.data.resultData.runData.Node?.[0]?.metadata).toMatchObject({
		tokenUsage: { inputTokens: sum('prompt_tokens'), outputTokens: sum('completion_tokens') },
	});
	expect(sum('completion_tokens')).toBeGreaterThan(1);
});
