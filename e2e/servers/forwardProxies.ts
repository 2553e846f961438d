import type { ServerProgram } from './startServer';

export interface ProxySettings {
	/** The port to which it opens tunnels. Default: 443. */
	tunnelPort?: string;
	/** Requires this user and password. */
	login?: { user: string; password: string };
}

// Its default configuration, except for ports and folders.
export const squid: ServerProgram<ProxySettings> = {
	name: 'squid',
	binary: 'squid',
	// Instances with the same name share memory.
	args: (config, { port }) => ['-N', '-n', `squid${port}`, '-f', config],
	config: ({ port, folder }, { tunnelPort = '443', login }) => `
http_port 127.0.0.1:${port}
pid_filename ${folder}/pid
cache_log ${folder}/cache.log
access_log none
coredump_dir ${folder}
cache_effective_user nobody
shutdown_lifetime 0 seconds
pinger_enable off
acl SSL_ports port ${tunnelPort}
http_access deny CONNECT !SSL_ports
${login === undefined ? '' : ANY_LOGIN}
http_access allow localhost
http_access deny all
`,
};

/** Squid cannot have passwords in its configuration. This helper accepts any. */
const ANY_LOGIN = `
auth_param basic program /usr/lib/squid/basic_fake_auth
acl known proxy_auth REQUIRED
http_access deny !known
`;
