import type { IAuthenticateGeneric, Icon, ICredentialType, INodeProperties } from 'n8n-workflow';

export class GenerationServiceApi implements ICredentialType {
	name = 'generationServiceApi';

	displayName = 'Generation Service API';

	icon: Icon = {
		light: 'file:../icons/generationService.svg',
		dark: 'file:../icons/generationService.dark.svg',
	};

	documentationUrl =
		'https://github.com/generation-service/n8n-nodes-generation-service#credentials';

	properties: INodeProperties[] = [
		{
			displayName: 'Base URL',
			name: 'baseUrl',
			type: 'string',
			default: '',
			required: true,
			placeholder: 'e.g. https://gateway.example.com',
			description: 'The URL of the service, with or without /v1. It may include a path prefix.',
		},
		{
			displayName: 'API Key',
			name: 'apiKey',
			type: 'string',
			typeOptions: { password: true },
			default: '',
			required: true,
			description: 'The key, with or without the word Bearer before it',
		},
		{
			displayName: 'Video Base Path',
			name: 'videoBasePath',
			type: 'options',
			options: [
				{ name: '/media/v1', value: '/media/v1' },
				{ name: '/v1', value: '/v1' },
			],
			default: '/media/v1',
			description:
				'The path of the video endpoints. Change it only if video requests are not found.',
		},
		{
			displayName: 'Ignore SSL Issues (Insecure)',
			name: 'ignoreSslIssues',
			type: 'boolean',
			default: false,
			description:
				'Whether to connect even if SSL certificate validation fails, for example with a self-signed certificate',
		},
	];

	authenticate: IAuthenticateGeneric = {
		type: 'generic',
		properties: {
			headers: {
				Authorization: '=Bearer {{ $credentials.apiKey.trim().replace(/^Bearer(\\s+|$)/i, "") }}',
			},
		},
	};
}
