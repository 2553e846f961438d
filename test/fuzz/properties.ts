import { responseProperties } from './responses';
import { inputProperties } from './inputs';
import type { Property } from './property';
import { transportProperties } from './transport';
import { streamProperties } from './streams';

export const properties: readonly Property[] = [
	...streamProperties,
	...transportProperties,
	...responseProperties,
	...inputProperties,
];
