import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { reliabilityPage } from './page';

writeFileSync(join(__dirname, '../../docs/reliability.md'), reliabilityPage());
