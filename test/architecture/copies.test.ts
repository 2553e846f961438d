import { requestFields } from '../../nodes/shared/form/chatOptions';
import { readSendingOptions } from '../../nodes/shared/form/sharedProperties';
import { chatRequest } from '../../simulator/endpoints';
import { readFaultSpec } from '../../simulator/faults/faultSpec';
import { FAULTS } from '../../simulator/faults/table';
import { sendingOptionsOf } from '../simulation/promises/sendingOptions';

// What the simulator and the simulation say again on their own.

test('the simulator checks each field that the options of a chat set', () => {
	const unchecked = Object.keys(requestFields({})).filter((field) => !(field in chatRequest.shape));
	expect(unchecked.map((field) => `Add ${field} to chatRequest in simulator/endpoints.ts`)).toEqual(
		[],
	);
});

test('the promises of the simulation expect the defaults of the form', () => {
	const { timeout, ...others } = sendingOptionsOf({});
	expect({ ...others, timeoutMs: 1000 * timeout }).toEqual(readSendingOptions({}));
});

test('no fault has a name that reads as another fault, on a poll or so many times', () => {
	const names = FAULTS.map(({ name }) => name);
	expect(names.filter((name) => readFaultSpec(name)?.fault.name !== name)).toEqual([]);
});
