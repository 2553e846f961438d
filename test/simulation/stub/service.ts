/* eslint-disable */
// A stand-in for test/simulation/service until it is there.
import { Readable } from 'node:stream';
import type { FaultPlan, Limit, ServicePlan, TaskPlan } from '../life/schema';
import { unchanging } from '../life/workflow';

export interface TruthRequest {
	at: number;
	endpoint: string;
	method: string;
	key: string;
	model: string;
	prompt: string;
	rawPrompt: string;
	taskId: string;
	n: number;
	attempt: number;
	accepted: boolean;
	status: number | undefined;
	fault: string | undefined;
	limit: string | undefined;
	pauseUntil: number | undefined;
	tasks: string[];
	endedAt: number | undefined;
	/** The whole answer arrived. */
	whole: boolean;
	sentAt: number;
	heardAt: number | undefined;
	/** Whether an answer was given that says completed/failed. */
	finished: boolean;
	retryAfter?: number;
}
export interface TruthTask {
	id: string;
	prompt: string;
	model: string;
	key: string;
	createdAt: number;
	finishedAt: number;
	ending: string;
	request: TruthRequest;
	plan: TaskPlan;
}
export interface Truth {
	requests: TruthRequest[];
	tasks: Map<string, TruthTask>;
}
type Answer = {
	status: number;
	json?: unknown;
	text?: string;
	bytes?: Buffer;
	headers?: Record<string, string>;
	events?: string[];
};

export function createStub(
	plan: ServicePlan,
	env: {
		now(): number;
		after(ms: number, f: () => void): () => void;
		random(): number;
		start: number;
	},
) {
	const requests: TruthRequest[] = [];
	const tasks = new Map<string, TruthTask>();
	let ids = 0;
	let generation = 0;
	const counts = new Map<string, number>();
	const keys = { main: 'sk-simulation-0123456789abcdef', other: 'sk-other-key-0123456789abcdef' };
	const nextCount = (k: string) => {
		const c = (counts.get(k) ?? 0) + 1;
		counts.set(k, c);
		return c;
	};
	const inTime = (p: { from?: number | undefined; until?: number | undefined }) => {
		const t = (env.now() - env.start) / 1000;
		return t >= (p.from ?? 0) && t < (p.until ?? Infinity);
	};
	// limits
	const state = new Map<string, { hits: number[]; inFlight: number; tokens: number; at: number }>();
	const scopeOf = (l: Limit, r: TruthRequest) =>
		l.scope === 'key'
			? r.key
			: l.scope === 'endpoint'
				? `${r.key} ${r.endpoint}`
				: `${r.key} ${r.endpoint} ${r.model}`;
	const refusal = (r: TruthRequest): { limit: string; seconds: number } | undefined => {
		if (r.endpoint === 'download') return undefined;
		for (const [i, l] of plan.limits.entries()) {
			if (!inTime(l)) continue;
			if (l.of !== undefined && !(l.scope === 'endpoint' ? r.endpoint === l.of : r.model === l.of))
				continue;
			if (l.scope === 'model' && !r.model) continue;
			const k = `${i} ${scopeOf(l, r)}`;
			const s = state.get(k) ?? { hits: [], inFlight: 0, tokens: l.requests, at: env.now() };
			state.set(k, s);
			const w = (l.seconds ?? 60) * 1000;
			const now = env.now();
			let wait = 0;
			if (l.kind === 'inFlight') {
				const busy = requests.filter(
					(x) =>
						x !== r &&
						x.endedAt === undefined &&
						x.limit === undefined &&
						scopeOf(l, x) === scopeOf(l, r) &&
						x.endpoint !== 'download' &&
						(l.of === undefined ||
							(l.scope === 'endpoint' ? x.endpoint === l.of : x.model === l.of)),
				).length;
				if (busy >= l.requests) wait = 1000;
			} else if (l.kind === 'bucket') {
				s.tokens = Math.min(l.requests, s.tokens + ((now - s.at) / w) * l.requests);
				s.at = now;
				if (s.tokens >= 1) s.tokens -= 1;
				else wait = ((1 - s.tokens) * w) / l.requests;
			} else {
				if (l.kind === 'fixedWindow')
					s.hits = s.hits.filter((h) => Math.floor(h / w) === Math.floor(now / w));
				else s.hits = s.hits.filter((h) => h > now - w);
				if (s.hits.length < l.requests) s.hits.push(now);
				else wait = l.kind === 'fixedWindow' ? w - (now % w) : s.hits[0]! + w - now;
			}
			if (wait > 0)
				return {
					limit: `${l.kind} of ${l.scope} ${l.of ?? ''}`,
					seconds: l.retryAfter ?? Math.max(1, Math.ceil(wait / 1000)),
				};
		}
		if (plan.refused && env.random() < plan.refused) return { limit: 'random', seconds: 1 };
		return undefined;
	};
	const faultOf = (r: TruthRequest): FaultPlan | undefined =>
		plan.faults.find(
			(f) =>
				f.endpoint === r.endpoint &&
				(f.prompt === undefined || f.prompt === r.prompt) &&
				(f.attempts === undefined || f.attempts.includes(r.attempt)) &&
				inTime(f),
		);
	const planOf = (prompt: string, attempt: number): TaskPlan =>
		plan.tasks.find(
			(t) => t.prompt === prompt && (t.attempt === undefined || t.attempt === attempt),
		) ??
		plan.tasks.find((t) => t.prompt === undefined) ?? { seconds: 90 };
	const error = (
		status: number,
		code: string,
		message: string,
		data: unknown = null,
		headers = {},
	): Answer => ({ status, json: { success: false, code, message, data }, headers });
	const work = (r: TruthRequest, body: any): Answer => {
		if (r.endpoint === 'models')
			return {
				status: 200,
				json: {
					object: 'list',
					data: ['alpha', 'beta@20250101', 'beta'].map((id) => ({ id, object: 'model' })),
				},
			};
		if (r.endpoint === 'chat') {
			if (r.rawPrompt === '') return error(400, 'invalid_request_error', 'empty');
			r.accepted = true;
			const text = `answer to ${r.rawPrompt}`;
			const base = { id: `chat-${++ids}`, created: Math.floor(env.now() / 1000), model: r.model };
			if (body.stream)
				return {
					status: 200,
					headers: { 'content-type': 'text/event-stream' },
					events: [
						...text
							.split(/(?<= )/)
							.map(
								(content) =>
									`data: ${JSON.stringify({ ...base, object: 'chat.completion.chunk', choices: [{ index: 0, delta: { content }, finish_reason: null }] })}\n\n`,
							),
						`data: ${JSON.stringify({ ...base, object: 'chat.completion.chunk', choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] })}\n\n`,
						'data: [DONE]\n\n',
					],
				};
			return {
				status: 200,
				json: {
					...base,
					object: 'chat.completion',
					choices: [
						{ index: 0, message: { role: 'assistant', content: text }, finish_reason: 'stop' },
					],
					usage: { prompt_tokens: 3, completion_tokens: 4, total_tokens: 7 },
				},
			};
		}
		if (r.endpoint === 'submit') {
			r.accepted = true;
			const p = planOf(r.prompt, r.attempt);
			const count = p.count ?? r.n;
			const made = Array.from({ length: count }, (_, i): TruthTask => {
				const own = i === 0 || !p.onlyFirst;
				const ending = (own ? p.ending : 'completed') ?? 'completed';
				return {
					id: `task-${++ids}-${Math.floor(env.random() * 1e6)}`,
					prompt: r.prompt,
					model: r.model,
					key: r.key,
					createdAt: env.now(),
					finishedAt:
						ending === 'never' || ending === 'vanished'
							? Infinity
							: env.now() + p.seconds * 1000 * (1 - i / 20),
					ending,
					request: r,
					plan: { ...p, ending },
				};
			});
			for (const t of made) {
				tasks.set(t.id, t);
				r.tasks.push(t.id);
			}
			return {
				status: 200,
				json: {
					id: `video-${++ids}`,
					object: 'video.generation',
					created: Math.floor(env.now() / 1000),
					model: r.model,
					data: made.map((t) => ({
						id: t.id,
						status: 'processing',
						url: null,
						revised_prompt: `${r.rawPrompt} (revised)`,
					})),
				},
			};
		}
		const t = tasks.get(r.taskId);
		if (r.endpoint === 'download')
			return t
				? {
						status: 200,
						bytes: Buffer.concat([Buffer.from([0, 0, 0, 24]), Buffer.from(`video of ${t.id}`)]),
						headers: { 'content-type': 'video/mp4' },
					}
				: { status: 404, text: 'no' };
		const age = t ? env.now() - t.createdAt : 0;
		if (
			!t ||
			age < (t.plan.lagSeconds ?? 0) * 1000 ||
			(t.ending === 'vanished' && age > t.plan.seconds * 1000)
		)
			return error(404, 'task_not_found', 'unknown');
		const over = env.now() >= t.finishedAt + (t.plan.lateSeconds ?? 0) * 1000;
		const part = Math.min(0.99, age / (t.plan.seconds * 1000));
		const progress =
			t.plan.progress === 'none'
				? undefined
				: t.plan.progress === 'stuck'
					? 10
					: t.plan.progress === 'late'
						? part > 0.8
							? 50
							: 0
						: Math.floor(part * 100);
		const status = over ? t.ending : 'processing';
		r.finished = over;
		const inline = over && t.request && (t as any).inline;
		return {
			status: 200,
			json: {
				id: t.id,
				status,
				progress: over && status === 'completed' ? 100 : progress,
				url: status === 'completed' && !inline ? `${url}/files/${t.id}.mp4` : null,
				...(inline && status === 'completed'
					? {
							b64_json: Buffer.concat([
								Buffer.from([0, 0, 0, 24]),
								Buffer.from(`video of ${t.id}`),
							]).toString('base64'),
						}
					: {}),
				revised_prompt: `${t.prompt} (revised)`,
				metadata: { duration: 5, size: '720p', fps: 24, format: 'mp4' },
				created_at: Math.floor(t.createdAt / 1000),
				...(over ? { completed_at: Math.floor(t.finishedAt / 1000) } : {}),
				...(status === 'failed'
					? { error: { message: 'generation failed', code: 'generation_failed' } }
					: {}),
			},
		};
	};
	const url = 'http://service.test';
	type On = {
		written?(): void;
		head(s: number, h: Record<string, string>): void;
		data(b: Buffer): void;
		end(): void;
		fail(e: Error): void;
	};
	const exchange = (
		method: string,
		path: string,
		headers: Record<string, string>,
		text: string | undefined,
		on: On,
	): (() => void) => {
		const g = generation;
		let over = false;
		const live = () => g === generation && !over;
		let r: TruthRequest | undefined;
		const finish = () => {
			over = true;
			if (r && r.endedAt === undefined) r.endedAt = env.now();
		};
		const sentAt = env.now();
		const latency = () =>
			plan.latencyMs[0] + env.random() * (plan.latencyMs[1] - plan.latencyMs[0]);
		env.after(latency() / 2, () => {
			// What arrives is handled even if the client is gone meanwhile, unless it never left.
			if (over && !wasSent) return;
			const body = text ? JSON.parse(text) : {};
			const rawPrompt = String(body.prompt ?? body.messages?.at(-1)?.content ?? '');
			const taskId =
				/generations\/([^/?]+)|files\/(.*)\.mp4/.exec(path)?.slice(1).find(Boolean) ?? '';
			const endpoint = path.includes('/chat/')
				? 'chat'
				: path.endsWith('/models')
					? 'models'
					: path.startsWith('/files')
						? 'download'
						: method === 'POST'
							? 'submit'
							: 'poll';
			const prompt = taskId ? (tasks.get(taskId)?.prompt ?? '') : unchanging(rawPrompt);
			const mine: TruthRequest = (r = {
				at: env.now(),
				endpoint,
				method,
				key: (headers.Authorization ?? headers.authorization ?? '').replace('Bearer ', ''),
				model: body.model ?? '',
				prompt,
				rawPrompt,
				taskId,
				n: body.n ?? 1,
				attempt: 0,
				accepted: false,
				status: undefined,
				fault: undefined,
				limit: undefined,
				pauseUntil: undefined,
				tasks: [],
				endedAt: undefined,
				whole: false,
				sentAt,
				heardAt: undefined,
				finished: false,
			});
			requests.push(r);
			if (over || g !== generation) r.endedAt = env.now();
			let answer: Answer;
			const refused = refusal(r);
			let fault: FaultPlan['fault'] | undefined;
			if (refused) {
				mine.limit = refused.limit;
				mine.retryAfter = refused.seconds;
				mine.pauseUntil = env.now() + refused.seconds * 1000;
				answer = error(
					429,
					'rate_limit_exceeded',
					'Too many requests.',
					{ retry_after: refused.seconds },
					{ 'retry-after': String(refused.seconds) },
				);
			} else {
				mine.attempt = nextCount(`${endpoint} ${taskId || prompt}`);
				fault = faultOf(mine)?.fault;
				mine.fault = fault;
				const page = (status: number): Answer => ({
					status,
					text: `<html><body>${status} from a proxy</body></html>`,
					headers: { 'content-type': 'text/html' },
				});
				if (fault === undefined || fault === 'lost' || fault === 'stall' || fault === 'slow') {
					answer = work(mine, body);
					if (body.response_format === 'b64_json')
						for (const id of mine.tasks) (tasks.get(id) as any).inline = true;
				} else if (fault === 'page-504') {
					work(mine, body);
					answer = page(504);
				} else if (fault.startsWith('page-')) answer = page(Number(fault.slice(5)));
				else if (fault === 'redirect')
					answer = { status: 302, headers: { location: 'http://login.test/' } };
				else if (fault === 'reset') answer = { status: 0 };
				else {
					const s = Number(fault.slice(7));
					answer = error(
						s,
						s === 403
							? 'quota_not_enough'
							: s === 400
								? 'invalid_request_error'
								: s === 429
									? 'rate_limit_exceeded'
									: 'server_error',
						`status ${s}`,
						s === 429 ? { retry_after: 2 } : null,
						s === 429 || s === 503 ? { 'retry-after': '2' } : {},
					);
					if (s === 429 || s === 503) {
						mine.limit = 'fault';
						mine.pauseUntil = env.now() + 2000;
						mine.retryAfter = 2;
					}
				}
			}
			mine.status = answer.status;
			if (!live()) {
				if (mine.endedAt === undefined) mine.endedAt = env.now();
				return;
			}
			const back =
				latency() / 2 +
				(fault === 'slow' ? 20_000 : 0) +
				(endpoint === 'chat' && mine.accepted ? 500 + env.random() * 2000 : 0);
			if (fault === 'stall') return;
			env.after(back, () => {
				if (!live()) {
					mine.endedAt ??= env.now();
					return;
				}
				if (fault === 'lost' || fault === 'reset') {
					finish();
					return on.fail(Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' }));
				}
				mine.heardAt = env.now();
				on.head(answer.status, {
					date: new Date(env.now()).toUTCString(),
					'content-type': 'application/json',
					...answer.headers,
				});
				const parts = answer.events?.map((e) => Buffer.from(e)) ?? [
					answer.bytes ??
						Buffer.from(
							answer.text ?? (answer.json === undefined ? '' : JSON.stringify(answer.json)),
						),
				];
				const next = (i: number) => {
					if (!live()) return;
					const p = parts[i];
					if (p === undefined) {
						finish();
						mine.whole = true;
						return on.end();
					}
					if (p.length > 0) on.data(p);
					env.after(answer.events ? 20 : 0, () => next(i + 1));
				};
				next(0);
			});
		});
		let wasSent = true;
		return () => finish();
	};
	class Agent {
		constructor(_o?: unknown) {}
		dispatch(o: any, h: any): boolean {
			let stop = () => {};
			let over = false;

			const controller = {
				paused: false,
				aborted: false,
				reason: undefined,
				rawHeaders: [],
				rawTrailers: [],
				pause() {},
				resume() {},
				abort(e: Error) {
					if (over) return;
					over = true;
					stop();
					h.onResponseError(controller, e);
				},
			};
			const g = generation;
			queueMicrotask(() => {
				if (g !== generation) return;
				h.onRequestStart(controller, {});
				if (over) return;

				stop = exchange(o.method, o.path, o.headers, o.body ?? undefined, {
					head: (s, hd) => h.onResponseStart(controller, s, hd, ''),
					data: (b) => over || h.onResponseData(controller, b),
					end: () => {
						if (!over) {
							over = true;
							h.onResponseEnd(controller, {});
						}
					},
					fail: (e) => {
						if (!over) {
							over = true;
							h.onResponseError(controller, e);
						}
					},
				});
			});
			return true;
		}
		async close() {}
		compose() {
			return this;
		}
	}
	const httpRequest = async (o: any): Promise<any> =>
		await new Promise((resolve, reject) => {
			const body = new Readable({ read() {} });
			body.on('error', () => {});
			const u = new URL(o.url);
			let headed = false;
			const stop = exchange(o.method ?? 'GET', u.pathname, o.headers ?? {}, o.body, {
				head: (statusCode, headers) => {
					headed = true;
					resolve({ statusCode, headers, body });
				},
				data: (b) => body.push(b),
				end: () => body.push(null),
				fail: (e) => (headed ? body.destroy(e) : reject(e)),
			});
			const cancel = () => {
				stop();
				const e = Object.assign(new Error('canceled'), { code: 'ERR_CANCELED' });
				headed ? body.destroy(e) : reject(e);
			};
			if (o.abortSignal?.aborted) cancel();
			else o.abortSignal?.addEventListener('abort', cancel, { once: true });
		});
	return {
		url,
		keys,
		undici: { Agent, Pool: Agent, ProxyAgent: Agent },
		httpRequest: httpRequest as never,
		cut() {
			generation += 1;
			for (const r of requests) r.endedAt ??= env.now();
		},
		truth: { requests, tasks } as Truth,
	};
}
