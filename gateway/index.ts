export { LARGEST_VIDEO_BYTES } from './body';
export { Gateway, type GatewayOptions } from './client';
export { type Clock, systemClock } from './clock';
export { type Connection, parseConnection, type VideoBasePath } from './connection';
export { inSeconds } from './duration';
export {
	CancelledError,
	GatewayError,
	InvalidInputError,
	MalformedAnswerError,
	NoAnswerError,
	type RateLimit,
	ServiceError,
	TaskFailedError,
	WaitTimeoutError,
} from './errors';
export {
	agentRequest,
	type AgentRequest,
	type ChatCompletion,
	chatRequest,
	type ChatRequest,
} from './schemas/chat';
export { readToolCalls } from './schemas/toolCalls';
export { parseInput, parseJson, refusedValue } from './schemas/input';
export { backoff } from './retry';
export { type CatalogueModel } from './schemas/models';
export {
	isFinished,
	parseTaskId,
	videoRequest,
	type VideoRequest,
	type VideoSubmission,
	type VideoTask,
} from './schemas/video';
export { StreamedBody } from './body';
export { isSsrfRefusal } from './connectionError';
export { SilenceLimit } from './silenceLimit';
export { type EgressFilter, type Transport } from './transport';
export { type Polling } from './video/pollSchedule';
export { taskFailedError } from './video/taskError';
export { TaskWatch, type WaitSettings } from './video/taskWatch';
export { type SpooledVideo } from './video/spool';
