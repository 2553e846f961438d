import type { INode, INodeProperties } from 'n8n-workflow';
import { InvalidInputError } from '../../../gateway';
import { ChatCompletion } from '../../../nodes/ChatCompletion/ChatCompletion.node';
import { ListModels } from '../../../nodes/ListModels/ListModels.node';
import { VideoGeneration } from '../../../nodes/VideoGeneration/VideoGeneration.node';
import { nodeError } from '../../../nodes/shared/run/errorText';

const node: INode = {
	id: 'node',
	name: 'Node',
	type: 'n8n-nodes-generation-service.videoGeneration',
	typeVersion: 1,
	position: [0, 0],
	parameters: {},
};

function* parameters(properties: INodeProperties[]): Generator<[label: string, name: string]> {
	for (const { displayName, name, options = [] } of properties) {
		yield [displayName.replace(' (Seconds)', ''), name];
		for (const option of options) if ('type' in option) yield* parameters([option]);
	}
}

const all = [new ChatCompletion(), new ListModels(), new VideoGeneration()].flatMap(
	({ description }) => [...parameters(description.properties)],
);

test.each([...new Map(all)])(
	'an error about the parameter "%s" (%s) uses the label of the form',
	(label, name) => {
		const requestField = name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
		for (const parameter of [name, requestField]) {
			const { message } = nodeError(
				node,
				new InvalidInputError(parameter, `${parameter} is bad`),
				0,
			);
			expect([`${label} is bad [item 0]`, `${label} (${parameter}) is bad [item 0]`]).toContain(
				message,
			);
		}
	},
);
