import { isWithin, namesOf, type Place } from './answerWalk';
import { wordsIn } from './values';
import { isFields, plainText } from '../schemas/responseJson';

/** Addresses of one answer that are looked at, and characters of one. */
const MAX_FILMS = 1_000;
const MAX_ADDRESS = 8_192;
/** Lists that may have the same address. */
const MAX_LISTS = 10;
/** The rank of an address that its ending or its field shows to be a video's; the other form of one has one more. */
export const IS_FILM = 1;
/** Added to the rank of an address that n8n cannot fetch. */
const NOT_A_WEB_URL = 10;

export const IS_ADDRESS = /^[a-z][a-z\d+.-]*:\/\/\S/i;
/** What was removed from an address, as a part of it that is secret, is named in brackets. */
const IN_BRACKETS = /\[\w+(?: \w+){1,4}\]/g;
const HTTP = /^https?:\/\//i;
const FILM_FILE = /\.(?:mp4|m4v|mov|webm|mkv|avi|mpe?g|ts|ogv|wmv|flv|m3u8|mpd)$/i;
const PLAYLIST = /\.(?:m3u8|mpd)$/i;
const OTHER_FILE =
	/\.(?:png|jpe?g|webp|gif|bmp|avif|svg|heic|mp3|wav|m4a|aac|flac|srt|vtt|json|txt|html?|zip)$/i;
const OTHER_TYPE = /^(?:image|audio|text)\b/i;

/** Names of fields, in their parts. */
const FILM = /video|movie|film|clip|mp4|\bdownload\b/;
const NO_FILM =
	/\b(?:cover|thumb|poster)\w*|\b(?:self|icon|avatar|logo)\b|\b(?:image|img|picture|photo|frame|gif|audio|music|sound|subtitles?|captions?|transcript)(?: (?:ur[li]|link|src|path|file)s?)?$/;
/** ComfyUI lists videos as images. */
const NO_FILMS = /\b(?:images|pictures|photos|frames)$/;
/** What the request had, and where the service tells more of the task. */
const OF_REQUEST =
	/^(?:inputs?|requests?|param(?:eter)?s|arg(?:ument)?s|references?|webhooks?|callbacks?|timeline|scenes|elements|(?:source|init(?:ial)?|driving|control) (?:video|movie|clip|media|file|url))\b|\b(?:prompt|(?:video|clip) (?:reference|input))s?$/;
const MORE =
	/^(?:get|web|stream|next)$|\b(?:home)?page\b|\b(?:status|cancel|poll\w*|queue|docs?|documentation|logs?|help)\b|\bresponse ur[li]$/;
/** The same film in another form. */
const OTHER_FORM =
	/(?<!\b(?:without|no|non|remove) )\bwatermark|\b(?:backup|preview|hls|dash|playlist|proxy|low|min|draft|compressed)\b/;
const ADDRESS = /\b(?:ur[li]s?|href|link|src|path|files?|location|output|result|video|download)\b/;

/** An address in an answer that may be that of a video. */
export interface Film {
	address: string;
	place: Place;
	/** The less, the more it looks like a video that can be fetched. */
	rank: number;
}

/** All addresses in an answer that may be those of videos: by their endings, and by the fields that lead to them. */
export function filmsIn(places: readonly Place[], pollUrl: string): Film[] {
	const films: Film[] = [];
	for (const place of places) {
		const address = addressIn(place, pollUrl);
		const rank = address && rankOfFilm(place, address, pollUrl);
		if (!address || !rank) continue;
		films.push({ address, place, rank });
		if (films.length === MAX_FILMS) break;
	}
	return films;
}

function addressIn({ key, value }: Place, pollUrl: string): string | undefined {
	const text = typeof value === 'string' ? value.trim() : '';
	if (text.length > MAX_ADDRESS || /\s/.test(text.replaceAll(IN_BRACKETS, ''))) return undefined;
	if (IS_ADDRESS.test(text)) return text;
	// grok2api: `/files/a.mp4`.
	const isPath = /^\.{0,2}\/[^/]/.test(text) || (text.includes('/') && FILM_FILE.test(text));
	const isAddress = isPath && ADDRESS.test(wordsIn(key)) && !text.includes(':');
	return isAddress && URL.canParse(text, pollUrl) ? new URL(text, pollUrl).href : undefined;
}

function rankOfFilm(place: Place, address: string, pollUrl: string): number | undefined {
	const [path = '', query = ''] = address.replace(/#.*/, '').split('?');
	const isFile = FILM_FILE.test(path) || FILM_FILE.test(query);
	const names = namesOf(place);
	const [own = ''] = names;
	const type = typeBeside(place);
	if (OTHER_FILE.test(path) || path === pollUrl.replace(/[?#].*/, '')) return undefined;
	if (names.some((name) => OF_REQUEST.test(name))) return undefined;
	if (!isFile && (OTHER_TYPE.test(type) || MORE.test(own))) return undefined;
	if (isOfNoFilm(names, isFile)) return undefined;
	const isFilm = isFile || names.some((name) => FILM.test(name)) || /^video\b|mp4/i.test(type);
	const isOtherForm = PLAYLIST.test(path) || names.some((name) => OTHER_FORM.test(name));
	return (
		(HTTP.test(address) ? 0 : NOT_A_WEB_URL) +
		(isFilm ? IS_FILM : IS_FILM + 2) +
		(isOtherForm ? 1 : 0)
	);
}

/**
 * Whether fields lead to something else than a video. The nearest decides: `video: {cover: ...}` and `images: [{video: ...}]`.
 * @param names the nearest first
 */
export function isOfNoFilm(names: string[], isFile = false): boolean {
	const isOther = (name: string) => NO_FILM.test(name) || (!isFile && NO_FILMS.test(name));
	return isOther(names.find((name) => isOther(name) || FILM.test(name)) ?? '');
}

/** What the object around an address says of its type. */
function typeBeside({ inside }: Place): string {
	if (!isFields(inside?.value)) return '';
	const types = Object.entries(inside.value).filter(([name]) =>
		/^(?:content type|mime(?: ?type)?|media type|type|kind|format)$/.test(wordsIn(name)),
	);
	return types.map(([, type]) => plainText(type)).join(' ');
}

/**
 * The addresses of the videos of a task, in their order: those of one list. Any other address is that of the same film in another
 * form.
 * @param whole where they are looked for first
 */
export function filmsOf(films: readonly Film[], whole: Place, task: Place): string[] {
	const inside = films.filter(({ place }) => isWithin(place, whole));
	const found = inside.length > 0 ? inside : films;
	// The field of the interface comes first.
	const isOwn = ({ place, rank }: Film) =>
		place.inside === task && place.key === 'url' && rank < NOT_A_WEB_URL;
	const order = (film: Film) => (isOwn(film) ? 0 : film.rank);
	const [best] = [...found].sort((a, b) => order(a) - order(b));
	if (best === undefined) return [];
	const same = found.filter(({ address }) => address === best.address);
	const slots = [...new Set(same.map(({ place }) => place.slot))].slice(0, MAX_LISTS);
	const lists = slots.map((slot) => {
		const entries = found.filter(({ place }) => place.slot === slot);
		const least = Math.min(...entries.map(({ rank }) => rank));
		// A playlist beside its film, and an address for others beside one for everyone.
		return new Set(
			entries.filter(({ rank }) => rank % 2 === least % 2).map((film) => film.address),
		);
	});
	const [longest = []] = lists.sort((a, b) => b.size - a.size);
	return [...new Set([best.address, ...longest])];
}
