import type { Page } from 'playwright-core';

/** The dialog in which a user enters and tests a credential. */
export class CredentialForm {
	constructor(private readonly page: Page) {}

	/** Opens an empty form, from the list of credentials. */
	async open(type: string): Promise<void> {
		await this.page.goto('/home/credentials');
		await this.page.getByTestId('add-resource-credential').click();
		await this.page.getByTestId('new-credential-type-select').getByRole('combobox').fill(type);
		await this.page
			.getByTestId('new-credential-type-select-option')
			.filter({ hasText: type })
			.click();
		await this.page.getByTestId('new-credential-type-button').click();
		await this.form.waitFor();
	}

	async fill(parameter: string, text: string): Promise<void> {
		await this.form.getByTestId(`parameter-input-${parameter}`).locator('input').fill(text);
	}

	/** Saves the credential, and waits until n8n has tested it. */
	async save(): Promise<void> {
		const tested = this.page.waitForResponse(/\/rest\/credentials\/test$/);
		await this.form.getByTestId('credential-save-button').click();
		await tested;
	}

	/** Waits until the form shows this outcome of the test. */
	async waitForText(text: string | RegExp): Promise<void> {
		await this.form.getByText(text).waitFor();
	}

	/** Expands the reason of a failed test. It stays expanded. */
	async expandDetails(): Promise<void> {
		await this.form.getByText('More details').click();
	}

	private get form() {
		return this.page.getByTestId('editCredential-modal');
	}
}
