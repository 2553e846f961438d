import { testFailingTools } from './failingTools';

describe.each(['agent', 'engine, with On Error: Continue'] as const)(
	'called by the %s',
	testFailingTools,
);
