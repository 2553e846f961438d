import type { Change } from './change';
import { OF_FIELDS } from './ofFields';
import { OF_FORMS } from './ofForms';
import { OF_GATEWAY } from './ofGateway';
import { OF_INPUTS } from './ofInputs';
import { OF_NODES } from './ofNodes';
import { OF_PROMISES } from './ofPromises';
import { OF_RESPONSES } from './ofResponses';

export const WRITTEN: readonly Change[] = [
	...OF_GATEWAY,
	...OF_RESPONSES,
	...OF_NODES,
	...OF_PROMISES,
	...OF_FORMS,
	...OF_FIELDS,
	...OF_INPUTS,
];
