// How n8n 1 keeps binary data unless told otherwise. It is read when n8n is loaded: import this file first.
process.env.N8N_DEFAULT_BINARY_DATA_MODE = 'default';
