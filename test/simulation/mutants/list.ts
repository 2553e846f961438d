import type { Mutant } from './change';
import { OF_GATEWAY } from './ofGateway';
import { OF_NODES } from './ofNodes';

export const MUTANTS: readonly Mutant[] = [...OF_GATEWAY, ...OF_NODES];
