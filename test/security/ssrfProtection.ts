// n8n reads these while loading, so this file must be imported first.
process.env.N8N_SSRF_PROTECTION_ENABLED = 'true';
process.env.N8N_SSRF_ALLOWED_HOSTNAMES = 'localhost';
process.env.N8N_SSRF_ALLOWED_IP_RANGES = '127.0.0.2/32';
