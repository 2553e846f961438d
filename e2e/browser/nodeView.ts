import type { Locator, Page } from 'playwright-core';

/** The part of the browser's video element that is used here. */
interface Video {
	ended: boolean;
	currentTime: number;
	videoWidth: number;
	videoHeight: number;
	play(): Promise<void>;
	pause(): void;
}

declare function requestAnimationFrame(next: (time: number) => void): void;

/** The details of one node: input on the left, parameters in the middle, output on the right. */
export class NodeView {
	constructor(private readonly page: Page) {}

	async selectCredential(name: string): Promise<void> {
		await this.view.getByTestId('node-credentials-select').click();
		await this.page.getByRole('option', { name }).click();
	}

	/**
	 * Opens the list of models and searches it.
	 * @returns the models that are shown
	 */
	async searchModels(search: string): Promise<string[]> {
		await this.parameter('model').getByTestId('rlc-input-container').click();
		const items = this.page.getByTestId('rlc-item');
		await items.first().waitFor();
		const found = this.page.waitForResponse(/resource-locator-results/);
		await this.page.getByTestId('rlc-search').fill(search);
		await found;
		await items.first().waitFor();
		return await items.allInnerTexts();
	}

	/** Selects a model in the open list. */
	async selectModel(model: string): Promise<void> {
		await this.page.getByTestId('rlc-item').getByText(model, { exact: true }).click();
	}

	/** Enters a model by its ID. */
	async enterModel(model: string): Promise<void> {
		await this.parameter('model').getByTestId('rlc-mode-selector').click();
		await this.page.getByRole('option', { name: 'By ID' }).click();
		await this.parameter('model').locator('input[data-test-id=rlc-input]').fill(model);
	}

	async fill(parameter: string, text: string): Promise<void> {
		await this.parameter(parameter).locator('textarea, input').first().fill(text);
	}

	/** Types like a user, key by key. */
	async type(parameter: string, text: string): Promise<void> {
		const field = this.parameter(parameter).locator('textarea, input').first();
		await field.click();
		await field.pressSequentially(text, { delay: 40 });
	}

	async toggle(parameter: string): Promise<void> {
		await this.parameter(parameter).locator('.el-switch').click();
	}

	/** Drags a field of the input onto a parameter, and waits for the expression. */
	async dragInput(field: string, parameter: string, expected: string): Promise<void> {
		await this.inputFields.and(this.page.locator(`[data-name="${field}"]`)).hover();
		await this.page.mouse.down();
		const target = await this.parameter(parameter).boundingBox();
		if (target === null) throw new Error(`${parameter} is not visible`);
		// In many steps: n8n finds the target only while the pointer moves.
		await this.page.mouse.move(target.x + target.width / 2, target.y + target.height / 2, {
			steps: 10,
		});
		await this.page.mouse.up();
		await this.parameter(parameter).getByText(expected, { exact: true }).waitFor();
	}

	/** @returns the output fields of the previous node, also before it has run */
	async inputFieldNames(): Promise<string[]> {
		await this.inputFields.first().waitFor();
		return await this.inputFields.evaluateAll((pills) =>
			pills.map((pill) => pill.getAttribute('data-name') ?? ''),
		);
	}

	/** Waits for a hint at the output. */
	async waitForHint(text: string): Promise<void> {
		await this.output.getByTestId('node-hint').filter({ hasText: text }).waitFor();
	}

	/** Clicks "Let the model define this parameter" beside a parameter of a tool. */
	async letAgentFill(parameter: string): Promise<void> {
		const button = '*[@data-test-id="from-ai-override-button"]';
		const field = this.parameter(parameter).locator(`xpath=ancestor::*[.//${button}][1]`);
		await field.getByTestId('from-ai-override-button').click();
	}

	/** Executes this node and, if needed, the nodes before it. */
	async execute(): Promise<void> {
		await this.view.getByTestId('node-execute-button').click();
	}

	/** Waits until the output contains this text. */
	async waitForOutput(text: string): Promise<void> {
		await this.output.getByText(text).first().waitFor();
	}

	/** @returns message and description of the error panel */
	async error(): Promise<[message: string, description: string]> {
		const message = await this.output.getByTestId('node-error-message').innerText();
		return [message, await this.output.getByTestId('node-error-description').innerText()];
	}

	/** Opens the sub-node whose failure an agent or a chain reports. */
	async openErroredNode(): Promise<void> {
		const button = this.output.getByText('Open errored node');
		await button.click();
		await button.waitFor({ state: 'hidden' });
	}

	/** Selects a view of the output. */
	async showOutputAs(view: 'Schema' | 'Table' | 'JSON' | 'Binary'): Promise<void> {
		await this.output.getByTestId(`radio-button-${view.toLowerCase()}`).click();
	}

	/** Opens the first file of the binary view, a video, which n8n plays at once. */
	async openVideo(): Promise<void> {
		await this.output.getByTestId('ndv-view-binary-data').click();
	}

	/** Plays the video past this time, and pauses it. */
	async playVideoPast(seconds: number): Promise<void> {
		await this.video.evaluate(async (video: Video, past) => {
			while (video.currentTime <= past) await new Promise(requestAnimationFrame);
			video.pause();
		}, seconds);
	}

	async playVideoToEnd(): Promise<{ seconds: number; width: number; height: number }> {
		return await this.video.evaluate(async (video: Video) => {
			await video.play();
			while (!video.ended) await new Promise(requestAnimationFrame);
			const { currentTime: seconds, videoWidth: width, videoHeight: height } = video;
			return { seconds, width, height };
		});
	}

	private get video(): Locator {
		return this.output.locator('video');
	}

	private get inputFields(): Locator {
		return this.view.getByTestId('ndv-input-panel').locator('[data-target=mappable]');
	}

	private get output(): Locator {
		return this.view.getByTestId('output-panel');
	}

	async close(): Promise<void> {
		await this.view.getByTestId('ndv-close-button').click();
	}

	private parameter(name: string): Locator {
		return this.view.getByTestId(`parameter-input-${name}`);
	}

	private get view(): Locator {
		return this.page.getByTestId('ndv');
	}
}
