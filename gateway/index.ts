export { Gateway, type GatewayOptions } from './client';
export { type Clock, nextTurn, systemClock } from './clock';
export { type Credential, parseCredential } from './credential';
export { earliest, epochMs, later, msBetween, type WallTime, wallTimeOf } from './wallTime';
export { hashOf } from './hash';
export type { NodeCode } from './errors/nodeCodes';
export { idInLog, idText, logMessage, logText, shortText } from './lineText';
export {
	CancelledError,
	errorRecord,
	type ErrorRecord,
	GatewayError,
	invalidInput,
	isInvalidInput,
	isNotFound,
	isOwn,
	malformedAnswer,
	mayBeBilled,
	NoResponseError,
	ServiceError,
} from './errors/gatewayError';
export {
	agentRequest,
	type AgentRequest,
	type Completion,
	type ChatFields,
	chatRequest,
	type ChatRequest,
} from './schemas/chat';
export {
	answerEnd,
	callsIn,
	emptyAnswer,
	endOf,
	firstChoice,
	sentCompletion,
	textOf,
} from './answer/answer';
export { jsonValuesIn, whereJsonBreaks } from './answer/jsonAnswer';
export { readToolCalls } from './answer/toolCalls';
export { plainText } from './schemas/responseJson';
export { toolParameters } from './schemas/toolParameters';
export {
	type Bounds,
	BOUNDS,
	isEmptied,
	parseInput,
	parseJson,
	rangeOf,
	refusedValue,
} from './schemas/input';
export { modelOutputOf } from './dialects';
export type { CatalogueModel, ModelOutput } from './schemas/models';
export {
	asSent,
	isFinished,
	parseTaskId,
	statusMeaning,
	type VideoFields,
	videoRequest,
	videoTask,
	type VideoRequest,
	type VideoSubmission,
	type VideoTask,
} from './schemas/video';
export { credentialTestTransport } from './http/credentialTransport';
export { withinTotalTime } from './http/idleTimeout';
export { type HostHelpers } from './http/hostHelpers';
export { storageError } from './errors/downloadError';
export { taskFailed } from './errors/videoError';
export { VIDEO_TYPES } from './video/fileFormat';
export { type IncomingVideo, videoFormat } from './video/incomingVideo';
export { type Pauses, waitForTask } from './video/waitForTask';
export { OF_A_WAIT, waitedTask, type WaitedTask } from './video/waitedTask';
