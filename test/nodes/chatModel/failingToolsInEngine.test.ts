import { testFailingTools } from './failingTools';

describe('called by the engine', () => testFailingTools('engine'));
