import { n8nCommunityNodesPlugin } from '@n8n/eslint-plugin-community-nodes';

/** What n8n's package scan looks at: the files as they are published. */
export default [
	{
		files: ['dist/**/*.js'],
		...n8nCommunityNodesPlugin.configs.recommendedWithoutN8nCloudSupport,
		languageOptions: { sourceType: 'commonjs' },
		linterOptions: { reportUnusedDisableDirectives: 'off' },
	},
];
