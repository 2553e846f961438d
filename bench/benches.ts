import type { Bench } from './bench';
import { adaptivePolling } from './rows/adaptivePolling';
import { client } from './rows/client';
import { connections } from './rows/connections';
import { download } from './rows/download';
import { firstChunk } from './rows/firstChunk';
import { growth } from './rows/growth';
import { growthOfParts } from './rows/growthOfParts';
import { loadingNodes } from './rows/loading';
import { manyVideos } from './rows/manyVideos';
import { rateLimit } from './rows/rateLimit';
import { requests } from './rows/requests';
import { streamParsing } from './rows/streamParsing';

/** The rows of the table, in its order. */
export const benches: Bench[] = [
	requests,
	client,
	connections,
	firstChunk,
	streamParsing,
	rateLimit,
	manyVideos,
	adaptivePolling,
	download,
	growth,
	growthOfParts,
	loadingNodes,
];
