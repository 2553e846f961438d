/** The values of `error.code` that are not in the table of statuses. docs/errors.md explains each. */
export type NodeCode =
	| 'invalid_input'
	| 'spending_limit'
	| 'cancelled'
	| 'node_error'
	| 'address_blocked'
	| 'connect_timeout'
	| 'no_connection'
	| 'proxy_login'
	| 'proxy_refused'
	| 'proxy_unreachable'
	| 'connection_lost'
	| 'timeout'
	| 'not_http'
	| 'damaged_answer'
	| 'malformed_answer'
	| 'stream_broken'
	| 'submission_lost'
	| 'task_failed'
	| 'wait_timeout'
	| 'download_blocked'
	| 'download_failed'
	| 'download_refused'
	| 'storage_failed';

/** A code of Node.js for a failure to connect, such as `ECONNREFUSED`. */
export type SystemCode = Uppercase<string>;
