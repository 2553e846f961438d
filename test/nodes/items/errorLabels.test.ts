import type { INodeProperties } from 'n8n-workflow';
import { GatewayError, invalidInput } from '../../../gateway';
import { packageNodes } from '../../engine/packageNodes';
import { namedAsInForm } from '../../../nodes/shared/form/parameterLabels';

function* parameters(properties: INodeProperties[]): Generator<[label: string, name: string]> {
	for (const { displayName, name, options = [] } of properties) {
		yield [displayName.replace(' (Seconds)', ''), name];
		for (const option of options) if ('type' in option) yield* parameters([option]);
	}
}

const nodes = Object.values(packageNodes).flatMap(({ description: { displayName, properties } }) =>
	[...new Map(parameters(properties))].map((parameter) => [displayName, ...parameter, properties]),
) as Array<[node: string, label: string, name: string, properties: INodeProperties[]]>;

test.each(nodes)(
	'%s: an error about the parameter "%s" (%s) uses the label of the form',
	(_, label, name, properties) => {
		const requestField = name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
		for (const parameter of [name, requestField]) {
			const error = invalidInput(parameter, `${parameter} is bad`);
			const named = namedAsInForm(error, properties);
			expect([`${label} is bad`, `${label} (${parameter}) is bad`]).toContain(
				named instanceof GatewayError && named.message,
			);
		}
	},
);
