import type { INodeType } from 'n8n-workflow';
import { ChatCompletion } from '../../nodes/ChatCompletion/ChatCompletion.node';
import { ListModels } from '../../nodes/ListModels/ListModels.node';
import { LmChatGenerationService } from '../../nodes/LmChatGenerationService/LmChatGenerationService.node';
import { VideoGeneration } from '../../nodes/VideoGeneration/VideoGeneration.node';

/** The nodes of the package, by the names of their types. */
export const packageNodes = {
	chatCompletion: new ChatCompletion(),
	listModels: new ListModels(),
	lmChatGenerationService: new LmChatGenerationService(),
	videoGeneration: new VideoGeneration(),
} satisfies Record<string, INodeType>;
