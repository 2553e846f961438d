export { LARGEST_VIDEO_BYTES } from './http/body';
export { Gateway, type GatewayOptions } from './client';
export { type Clock, systemClock } from './clock';
export { type Credential, parseCredential, type VideoBasePath } from './credential';
export { formatSeconds } from './errors/formatDuration';
export {
	CancelledError,
	GatewayError,
	InvalidInputError,
	MalformedResponseError,
	NoResponseError,
	type RateLimit,
	ServiceError,
	TaskFailedError,
	WaitTimeoutError,
} from './errors/gatewayError';
export {
	agentRequest,
	type AgentRequest,
	type ChatCompletion,
	chatRequest,
	type ChatRequest,
} from './schemas/chat';
export { readToolCalls } from './schemas/toolCalls';
export { parseInput, parseJson, refusedValue } from './schemas/input';
export { backoff } from './limits/retryPolicy';
export { type CatalogueModel, type ModelOutput, outputOf } from './schemas/models';
export {
	isFinished,
	parseTaskId,
	videoRequest,
	type VideoRequest,
	type VideoSubmission,
	type VideoTask,
} from './schemas/video';
export { StreamedBody } from './http/body';
export { isSsrfRefusal } from './http/networkError';
export { IdleTimeout } from './http/idleTimeout';
export { type EgressFilter, type Transport } from './http/transport';
export { type Polling } from './video/pollSchedule';
export { taskFailedError } from './video/errors';
export { TaskPoller, type WaitSettings } from './video/taskPoller';
export { type InlineVideoFile } from './video/inlineVideoFile';
