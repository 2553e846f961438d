import type { Page } from 'playwright-core';

/** The panel below the canvas with the steps of an execution. */
export class Logs {
	constructor(private readonly page: Page) {}

	async open(): Promise<void> {
		await this.page.getByTestId('logs-overview-header').click();
		await this.page.getByTestId('logs-overview-body').waitFor();
	}

	async waitForText(text: RegExp): Promise<void> {
		await this.page.getByTestId('logs-panel').getByText(text).first().waitFor();
	}
}
