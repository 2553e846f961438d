// n8n reads these when it is loaded: import this file first.
process.env.N8N_SSRF_PROTECTION_ENABLED = 'true';
process.env.N8N_SSRF_ALLOWED_HOSTNAMES = 'localhost';
process.env.N8N_SSRF_ALLOWED_IP_RANGES = '127.0.0.2/32';
