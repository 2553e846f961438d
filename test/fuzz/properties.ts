import { answerProperties } from './answers';
import { inputProperties } from './inputs';
import type { Property } from './property';
import { streamProperties } from './streams';

export const properties: readonly Property[] = [
	...streamProperties,
	...answerProperties,
	...inputProperties,
];
