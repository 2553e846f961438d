import type { Benchmark } from '../benchmark';
import { download } from './download';
import { loadingNodes } from './loading';
import { manyVideos } from './manyVideos';
import { rateLimit } from './rateLimit';
import { readingForm } from './readingForm';
import { requests } from './requests';
import { streamParsing } from './streamParsing';

/** In the order of the page. */
export const benchmarks: Benchmark[] = [
	requests,
	readingForm,
	streamParsing,
	rateLimit,
	manyVideos,
	download,
	loadingNodes,
];
