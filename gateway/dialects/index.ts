// The one door to what other services and gateways send: each function takes any JSON, and gives what the interface document shows.
// What the document shows already comes out as it is.
export type { Asked } from './answerWalk';
export { isAbout, startOfInlineData, takeInlineVideos, taskFrom } from './task';
export { Chunks } from './chunks';
export { completionFrom } from './completion';
export { errorBeside, errorFrom, errorTextIn, reasonFrom } from './errorBody';
export { errorMeaning, type ErrorSaid, isQuotaCode, namesParameter } from './errorMeaning';
export { isAnswerLost } from './lostAnswer';
export { isPieceOfText } from './message';
export { saysNotReady } from './notReady';
export { reasonWords } from './reasonWords';
export { submissionFrom } from './submittedTasks';
export { chunksInLine, type Data, isFailure, isStream, Lines } from './lines';
export { modelOutputOf } from './modelKinds';
export { modelListFrom } from './modelList';
export { hasOnlyThoughts, hasThoughts, withoutThoughts } from './thoughts';
export { namesReset, secondsIn, waitInWords, waitsIn } from './waits';
