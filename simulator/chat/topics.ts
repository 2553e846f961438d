/** What the simulated model knows: enough for the examples, the demo and a first question. */
const TOPICS: Array<[about: RegExp, answer: string]> = [
	[
		/\bsky\b/i,
		'Sunlight holds all colors, and the air scatters blue light far more than red. So blue light reaches your eyes from every direction.',
	],
	[
		/\bsea\b.*\bblue\b/i,
		'Water takes in red light and lets blue light through, so what comes back from the depth is blue. A gray sky makes it gray.',
	],
	[
		/\btides?\b/i,
		'The Moon pulls the sea toward itself and leaves a second bulge on the far side of the Earth. The Earth turns through both, so most coasts see two high tides a day. The Sun helps at new and full moon, when tides are highest.',
	],
	[
		/\bmonsoon\b/i,
		'A monsoon is a wind that turns with the season. In summer it blows from the sea over warm land and brings months of rain; in winter it blows the other way, and the land is dry.',
	],
	[
		/\bfrost\b/i,
		'A white breath at dawn, / the last marigold stands still, / each petal in glass.',
	],
	[
		/\bstart the day\b/i,
		'Begin with the one thing that will still matter this evening, and let the rest wait its turn.',
	],
	[
		/\bword that few\b/i,
		'Petrichor: the smell of the first rain on dry ground, from oils of plants that the drops set free.',
	],
	[
		/\b(supper|dinner|recipe)\b/i,
		'Spaghetti with garlic, oil and a handful of parsley: the sauce is ready before the water has taken the pasta, and lemon makes it light.',
	],
	[
		/\btitle\b/i,
		'“Before the Wind”. It is short, it fits the picture, and it does not give away how the film ends.',
	],
	[
		/\b(scene|video|film|clip|story)\b/i,
		'Open on a wide shot at first light, with one small thing that moves. Let the camera follow it slowly, keep the background still, and end close, on a detail that nobody saw at the start.',
	],
	[
		/\b(boat|lake|lighthouse|kite|forest|fog)\b/i,
		'Seen from close above the ground, in soft light from one side, it looks calm and larger than it is. A slow camera and very few words are enough.',
	],
	[
		/^(hi|hello|hey|good (morning|evening))\b/i,
		'Nice to meet you! Ask me something, or let me call one of your tools.',
	],
];

/** For everything else: true of any question, and honest about the rest. */
const OTHERS = [
	'I am the simulated model, so I know little about this. With your own service, a real model answers here.',
	'This is where a real model would answer at length. I am simulated, and glad that your request arrived complete.',
];

/** A poem, and nothing else: what comes next may make a video of it. */
export function poemFor(question: string): string | undefined {
	if (!/\bhaiku\b.*\bautumn\b/is.test(question)) return undefined;
	return 'Red leaves leave the tree,\none by one, without a sound.\nThe pond fills with sky.';
}

/** @param seed chooses among several answers */
export function topicalAnswer(question: string, seed: number): string {
	const known = TOPICS.find(([about]) => about.test(question))?.[1];
	return known ?? OTHERS[seed % OTHERS.length] ?? '';
}

const SHOTS = [
	['Opening', 'wide shot at first light, slow camera'],
	['Middle', 'close shot that follows the movement, warm light'],
	['End', 'the camera rises and looks back, dusk'],
];

/** A film in three scenes, as JSON, if the system message asks for `"scenes"`. */
export function scenesFor(idea: string, system: string): string | undefined {
	if (!system.includes('"scenes"')) return undefined;
	const subject = idea.trim().replace(/[.!]$/, '');
	const scenes = SHOTS.map(([title, shot]) => ({ title, prompt: `${subject}, ${shot}` }));
	return JSON.stringify({ scenes });
}
