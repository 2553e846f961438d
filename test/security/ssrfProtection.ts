import { Container } from '@n8n/di';

// n8n reads these when it makes its services, which a worker keeps: this file must be imported first.
process.env.N8N_SSRF_PROTECTION_ENABLED = 'true';
process.env.N8N_SSRF_ALLOWED_HOSTNAMES = 'localhost';
process.env.N8N_SSRF_ALLOWED_IP_RANGES = '127.0.0.2/32';
Container.reset();
afterAll(() => Container.reset());
