import type { Benchmark } from '../benchmark';
import { adaptivePolling } from './adaptivePolling';
import { client } from './client';
import { cloudBuild } from './cloudBuild';
import { connections } from './connections';
import { download } from './download';
import { firstChunk } from './firstChunk';
import { growth } from './growth';
import { growthOfParts } from './growthOfParts';
import { loadingNodes } from './loading';
import { manyVideos } from './manyVideos';
import { mixedModels } from './mixedModels';
import { rateLimit } from './rateLimit';
import { readingForm } from './readingForm';
import { requests } from './requests';
import { streamParsing } from './streamParsing';

/** In the order of the page. */
export const benchmarks: Benchmark[] = [
	requests,
	readingForm,
	client,
	connections,
	firstChunk,
	streamParsing,
	rateLimit,
	mixedModels,
	manyVideos,
	adaptivePolling,
	download,
	growth,
	growthOfParts,
	loadingNodes,
	cloudBuild,
];
