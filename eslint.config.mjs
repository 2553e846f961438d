import { configWithoutCloudSupport } from '@n8n/node-cli/eslint';
import nodesBase from 'eslint-plugin-n8n-nodes-base';
import regexp from 'eslint-plugin-regexp';

/** Third-party code comes in through the gateway alone, where the build bundles it. */
const ONLY_THE_GATEWAY =
	'Only gateway/ talks HTTP and reads foreign data: use what gateway/index.ts offers.';

const restrict = (...patterns) => ({ 'no-restricted-imports': ['error', { patterns }] });

const OF_N8N = {
	group: ['n8n-*', '@n8n/*', '**/nodes/**', '**/credentials/**', '**/simulator/**'],
	message: 'The gateway is a plain client of the service: it knows nothing of n8n.',
};

export default [
	{
		ignores: [
			'dist/**',
			'dist-verified/**',
			'coverage/**',
			'demo-output/**',
			'release-output/**',
			'mutants-output/**',
			'e2e/n8n/**',
			'**/node_modules/**',
			'e2e/output/**',
		],
	},
	// With the newest rules of n8n's nodes: the config brings version 1 of them.
	...configWithoutCloudSupport.map((part) =>
		part.plugins?.['n8n-nodes-base'] ? { ...part, plugins: { 'n8n-nodes-base': nodesBase } } : part,
	),
	{
		files: ['**/*.ts'],
		rules: { '@typescript-eslint/no-explicit-any': 'error' },
	},
	{
		// Three layers, and every import goes down. Within a layer, test/architecture checks it, and circular imports, too.
		files: ['gateway/**/*.ts'],
		rules: restrict(OF_N8N, {
			group: ['**/dialects/*'],
			message: 'What other services send comes through one door: gateway/dialects/index.ts.',
		}),
	},
	{
		// What the interface document shows, and nothing else.
		files: ['gateway/schemas/**/*.ts'],
		rules: restrict(OF_N8N, {
			group: ['**/dialects', '**/dialects/**'],
			message: 'The interface knows no dialect: a dialect is read before, in the door.',
		}),
	},
	{
		// Not the key, no socket, no timer, no retry.
		files: ['gateway/dialects/**/*.ts'],
		rules: restrict({
			regex: '^(?!\\./|\\.\\./schemas/)',
			message: 'A dialect is a function of JSON: it knows the interface alone.',
		}),
	},
	{
		// The verified build: n8n lends the clock, and nothing of Node.js is there.
		files: ['gateway/verified/*.ts'],
		rules: {
			...restrict({
				group: ['@n8n/*', '**/nodes/**', 'undici'],
				message: 'n8n Cloud lends n8n-workflow alone.',
			}),
			'@n8n/community-nodes/no-restricted-globals': 'error',
		},
	},
	{
		files: ['nodes/**/*.ts', 'credentials/**/*.ts'],
		rules: restrict(
			{ group: ['undici', 'zod', 'undici/*', 'zod/*'], message: ONLY_THE_GATEWAY },
			{
				group: ['**/gateway/*'],
				message: 'The gateway has one entry point: import from gateway/index.ts.',
			},
			{
				// Their folders begin with a capital letter.
				group: ['../[A-Z]*/**', '../../[A-Z]*/**', '../../../[A-Z]*/**'],
				caseSensitive: true,
				message: 'No node knows another, and nodes/shared knows none of them.',
			},
			{
				group: ['**/simulator/**', '**/demo/**', '**/test/**', '**/e2e/**', '**/bench/**'],
				message: 'These are not published.',
			},
		),
	},
	{
		// Part of the gateway's bundle.
		files: ['nodes/shared/book/schema.ts'],
		rules: { 'no-restricted-imports': 'off' },
	},
	{
		// `String(value)` and a template throw where the `toString` of a stranger's object is no function.
		files: ['{gateway,nodes,credentials}/**/*.ts'],
		ignores: ['**/*.d.ts'],
		languageOptions: { parserOptions: { projectService: true } },
		rules: {
			'@typescript-eslint/no-base-to-string': ['error', { checkUnknown: true }],
			'@typescript-eslint/restrict-template-expressions': [
				'error',
				{ allowNumber: true, allowBoolean: true, allowNullish: true },
			],
		},
	},
	{
		// A text of a user or of the service must not make an expression go back and forth: its time grows with its length.
		files: ['{gateway,nodes,credentials}/**/*.ts'],
		plugins: { regexp },
		rules: {
			'regexp/no-super-linear-backtracking': ['error', { report: 'potential' }],
			'regexp/no-super-linear-move': ['error', { report: 'potential' }],
		},
	},
	{
		// What n8n allows a node on n8n Cloud: all that touches Node.js is in the gateway.
		files: ['nodes/**/*.ts', 'credentials/**/*.ts'],
		rules: {
			'@n8n/community-nodes/no-restricted-globals': 'error',
			'@n8n/community-nodes/no-restricted-imports': 'error',
			'no-restricted-syntax': [
				'error',
				{
					selector: 'CallExpression[callee.property.name=/^(httpR|r)equest/]',
					message: `${ONLY_THE_GATEWAY} n8n's request functions are lent to it.`,
				},
			],
			// An import() does not find the packages that n8n lends through NODE_PATH, and this one is loaded late.
			'@typescript-eslint/no-require-imports': ['error', { allow: ['^@n8n/ai-node-sdk$'] }],
		},
	},
	{
		// Nothing of this is published: it may start processes, and what it throws never reaches n8n's user.
		files: [
			'simulator/**/*.ts',
			'demo/**/*.ts',
			'test/**/*.ts',
			'e2e/**/*.ts',
			'bench/**/*.ts',
			'release/**/*.ts',
		],
		rules: {
			'@n8n/community-nodes/require-node-api-error': 'off',
			'@n8n/community-nodes/no-dangerous-functions': 'off',
			'@typescript-eslint/no-unused-vars': ['error', { ignoreRestSiblings: true }],
		},
	},
	{
		files: ['simulator/**/*.ts'],
		rules: restrict({
			group: ['**/gateway', '**/gateway/**', '**/nodes/**', 'n8n-*', '@n8n/*'],
			message: 'The simulator reads the interface document for itself.',
		}),
	},
];
