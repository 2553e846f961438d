import type { AddressInfo } from 'node:net';
import { type ParsedMail, simpleParser } from 'mailparser';
import { SMTPServer } from 'smtp-server';
import { until } from '../host/until';

/** A mail server that keeps what it gets. */
export class Mailbox {
	private constructor(
		private readonly server: SMTPServer,
		private readonly mails: ParsedMail[],
	) {}

	/** @param onMail is told of each mail */
	static async open(onMail?: (mail: ParsedMail) => void): Promise<Mailbox> {
		const mails: ParsedMail[] = [];
		const server = new SMTPServer({
			authOptional: true,
			disabledCommands: ['STARTTLS'],
			onData(stream, _session, done) {
				simpleParser(stream).then(
					(mail) => {
						mails.push(mail);
						onMail?.(mail);
						done();
					},
					(error: unknown) => done(error instanceof Error ? error : new Error(String(error))),
				);
			},
		});
		await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
		return new Mailbox(server, mails);
	}

	/** The credential of n8n for it. */
	get credential() {
		const { port } = this.server.server.address() as AddressInfo;
		const data = { host: '127.0.0.1', port, secure: false, disableStartTls: true };
		return { type: 'smtp', data: { ...data, user: '', password: '', hostName: '' } };
	}

	/** Waits for a mail with this subject, at most as long as a wait in n8n's database takes. */
	async mail(subject: string): Promise<ParsedMail> {
		const find = () => this.mails.find((mail) => mail.subject === subject);
		await until(() => find() !== undefined, 150_000);
		return find()!;
	}

	async close(): Promise<void> {
		await new Promise<void>((resolve) => this.server.close(resolve));
	}
}
