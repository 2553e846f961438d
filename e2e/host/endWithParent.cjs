// Loaded into n8n before all else: n8n must not outlive the command that started it, however that one ended.
process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'));
process.channel?.unref();
