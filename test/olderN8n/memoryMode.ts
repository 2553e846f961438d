// The default of n8n 1. n8n reads it while loading, so this file must be imported first.
process.env.N8N_DEFAULT_BINARY_DATA_MODE = 'default';
