import type { ServerProgram } from './startServer';

/**
 * Reverse proxies with common configurations. Each has a timeout of one second, the shortest that Apache and nginx
 * support.
 */
export const apache: ServerProgram<string> = {
	name: 'apache2',
	binary: 'apache2',
	args: (config) => ['-D', 'FOREGROUND', '-f', config],
	config: ({ port, folder }, service) => `
ServerRoot ${folder}
ServerName localhost
PidFile ${folder}/pid
ErrorLog ${folder}/error.log
Listen 127.0.0.1:${port}
LoadModule mpm_event_module /usr/lib/apache2/modules/mod_mpm_event.so
LoadModule authz_core_module /usr/lib/apache2/modules/mod_authz_core.so
LoadModule proxy_module /usr/lib/apache2/modules/mod_proxy.so
LoadModule proxy_http_module /usr/lib/apache2/modules/mod_proxy_http.so
User nobody
Group nogroup
ProxyTimeout 1
ProxyPass / ${service}/
`,
};

export const nginx: ServerProgram<string> = {
	name: 'nginx',
	binary: 'nginx',
	args: (config, { folder }) => ['-c', config, '-p', folder, '-e', `${folder}/error.log`],
	config: ({ port, folder }, service) => `
daemon off;
pid ${folder}/pid;
user root;
events {}
http {
	access_log off;
	client_body_temp_path ${folder}/body;
	proxy_temp_path ${folder}/proxy;
	fastcgi_temp_path ${folder}/fastcgi;
	uwsgi_temp_path ${folder}/uwsgi;
	scgi_temp_path ${folder}/scgi;
	server {
		listen 127.0.0.1:${port};
		location / {
			proxy_pass ${service};
			proxy_read_timeout 1s;
		}
	}
}
`,
};
