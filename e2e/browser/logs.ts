import type { Page } from 'playwright-core';

/** The panel below the canvas, which tells what an execution did, step by step. */
export class Logs {
	constructor(private readonly page: Page) {}

	async open(): Promise<void> {
		await this.page.getByTestId('logs-overview-header').click();
		await this.page.getByTestId('logs-overview-body').waitFor();
	}

	async shows(words: RegExp): Promise<void> {
		await this.page.getByTestId('logs-panel').getByText(words).first().waitFor();
	}
}
