import { createRequire } from 'node:module';
import type * as Mediabunny from 'mediabunny' with { 'resolution-mode': 'import' };

// mediabunny ships a CommonJS bundle, but declares its types for ES modules only.
export const mediabunny: typeof Mediabunny = createRequire(__filename)('mediabunny');
