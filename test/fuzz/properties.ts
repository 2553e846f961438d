import { answerProperties } from './answers';
import { inputProperties } from './inputs';
import type { Property } from './property';
import { receivedProperties } from './received';
import { streamProperties } from './streams';

export const properties: readonly Property[] = [
	...streamProperties,
	...receivedProperties,
	...answerProperties,
	...inputProperties,
];
