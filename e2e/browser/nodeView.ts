import type { Locator, Page } from 'playwright-core';

/** What is needed of the browser's video element. */
interface Video {
	ended: boolean;
	currentTime: number;
	videoWidth: number;
	videoHeight: number;
	play(): Promise<void>;
	pause(): void;
}

declare function requestAnimationFrame(next: (time: number) => void): void;

/** The window of one node: its input on the left, its parameters in the middle, its output on the right. */
export class NodeView {
	constructor(private readonly page: Page) {}

	async chooseCredential(name: string): Promise<void> {
		await this.view.getByTestId('node-credentials-select').click();
		await this.page.getByRole('option', { name }).click();
	}

	/**
	 * Unfolds the list of models and searches it.
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

	/** Takes a model of the unfolded list. */
	async takeModel(model: string): Promise<void> {
		await this.page.getByTestId('rlc-item').getByText(model, { exact: true }).click();
	}

	/** Enters a model that the list need not have. */
	async enterModel(model: string): Promise<void> {
		await this.parameter('model').getByTestId('rlc-mode-selector').click();
		await this.page.getByRole('option', { name: 'By ID' }).click();
		await this.parameter('model').locator('input[data-test-id=rlc-input]').fill(model);
	}

	async fill(parameter: string, text: string): Promise<void> {
		await this.parameter(parameter).locator('textarea, input').first().fill(text);
	}

	/** Writes as people do, key by key. */
	async type(parameter: string, text: string): Promise<void> {
		const field = this.parameter(parameter).locator('textarea, input').first();
		await field.click();
		await field.pressSequentially(text, { delay: 40 });
	}

	async switch(parameter: string): Promise<void> {
		await this.parameter(parameter).locator('.el-switch').click();
	}

	/** Drags a field of the input onto a parameter, and waits for what that then holds. */
	async dragInput(field: string, parameter: string, expected: string): Promise<void> {
		await this.inputFields.and(this.page.locator(`[data-name="${field}"]`)).hover();
		await this.page.mouse.down();
		const goal = await this.parameter(parameter).boundingBox();
		if (goal === null) throw new Error(`${parameter} is not to be seen`);
		// In many steps: n8n looks at what is below the pointer only once it moves with the field.
		await this.page.mouse.move(goal.x + goal.width / 2, goal.y + goal.height / 2, { steps: 10 });
		await this.page.mouse.up();
		await this.parameter(parameter).getByText(expected, { exact: true }).waitFor();
	}

	/** @returns the fields that the node before this one puts out, or will put out */
	async inputFieldNames(): Promise<string[]> {
		await this.inputFields.first().waitFor();
		return await this.inputFields.evaluateAll((pills) =>
			pills.map((pill) => pill.getAttribute('data-name') ?? ''),
		);
	}

	/** Waits for a hint beside the output, or above it. */
	async hints(words: string): Promise<void> {
		await this.output.getByTestId('node-hint').filter({ hasText: words }).waitFor();
	}

	async hasNoHint(words: string): Promise<void> {
		const hint = this.output.getByTestId('node-hint').filter({ hasText: words });
		await hint.waitFor({ state: 'hidden' });
	}

	/** Clicks ✨ beside a parameter of a tool. */
	async letAgentFill(parameter: string): Promise<void> {
		const button = '*[@data-test-id="from-ai-override-button"]';
		const field = this.parameter(parameter).locator(`xpath=ancestor::*[.//${button}][1]`);
		await field.getByTestId('from-ai-override-button').click();
	}

	/** Executes this node, with what it needs before it. */
	async execute(): Promise<void> {
		await this.view.getByTestId('node-execute-button').click();
	}

	/** Waits until the output holds these words. */
	async outputShows(words: string): Promise<void> {
		await this.output.getByText(words).first().waitFor();
	}

	/** @returns message and description of the error panel */
	async error(): Promise<[message: string, description: string]> {
		const message = await this.output.getByTestId('node-error-message').innerText();
		return [message, await this.output.getByTestId('node-error-description').innerText()];
	}

	/** Goes from the error of an agent or a chain to the node below it that has failed. */
	async openErroredNode(): Promise<void> {
		const button = this.output.getByText('Open errored node');
		await button.click();
		await button.waitFor({ state: 'hidden' });
	}

	/** Chooses how the output is shown. */
	async showAs(way: 'Schema' | 'Table' | 'JSON' | 'Binary'): Promise<void> {
		await this.output.getByTestId(`radio-button-${way.toLowerCase()}`).click();
	}

	/** Opens the first file of the binary tab, a video: n8n plays it at once. */
	async openVideo(): Promise<void> {
		await this.output.getByTestId('ndv-view-binary-data').click();
	}

	/** Lets the video play that long, and then holds it. */
	async videoPlaysPast(seconds: number): Promise<void> {
		await this.video.evaluate(async (video: Video, past) => {
			while (video.currentTime <= past) await new Promise(requestAnimationFrame);
			video.pause();
		}, seconds);
	}

	async videoPlaysToItsEnd(): Promise<{ seconds: number; width: number; height: number }> {
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
