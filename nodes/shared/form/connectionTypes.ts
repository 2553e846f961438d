/**
 * Has the name and the keys of the object in n8n-workflow, as n8n's linter expects. n8n-workflow has it only since n8n 1.83,
 * and an older one may be left in n8n's folder of community packages, where nodes find it first
 * (other-blowsnow/n8n-nodes-feishu-lite#13).
 */
export const NodeConnectionTypes = { Main: 'main', AiLanguageModel: 'ai_languageModel' } as const;
