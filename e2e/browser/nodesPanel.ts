import type { Page } from 'playwright-core';

/** The panel in which a user searches for nodes. */
export class NodesPanel {
	constructor(private readonly page: Page) {}

	/**
	 * Begins a workflow on an empty canvas: a manual trigger, and a node behind it.
	 * @param choice what the panel then asks for, such as an action
	 * @param pause between the steps, for a viewer
	 */
	async beginWorkflow(
		node: string,
		choice: string,
		pause: () => Promise<void> = async () => {},
	): Promise<void> {
		await this.openCanvas();
		await pause();
		await this.open();
		await pause();
		await this.item('Trigger manually').click();
		await this.open();
		await this.find(node, node);
		await pause();
		await this.item(node).click();
		await pause();
		await this.take(choice);
	}

	async openCanvas(): Promise<void> {
		if (!this.page.url().endsWith('/workflow/new')) await this.page.goto('/workflow/new');
		await this.page.getByText('Add first step').waitFor();
	}

	async open(): Promise<void> {
		await this.page.getByTestId('node-creator-plus-button').click();
		await this.search.waitFor();
	}

	/** @returns the names of the nodes found, best first */
	async find(words: string, expected: string): Promise<string[]> {
		await this.search.fill(words);
		await this.item(expected).waitFor();
		return await this.page.getByTestId('node-creator-item-name').allInnerTexts();
	}

	/** Opens a node's page in the panel. @returns what it offers to do with it, and what to begin with */
	async actionsOf(node: string): Promise<string[]> {
		await this.find(node, node);
		await this.item(node).click();
		await this.page.getByText(/^(Video )?Actions \(\d+\)$/).waitFor();
		return await this.page.getByTestId('node-creator-item-name').allInnerTexts();
	}

	/** Takes what the panel shows, such as an action. */
	async take(choice: string): Promise<void> {
		await this.page.getByText(choice, { exact: true }).click();
	}

	private get search() {
		return this.page.getByTestId('node-creator-search-bar');
	}

	private item(name: string) {
		return this.page
			.getByTestId('item-iterator-item')
			.filter({
				has: this.page.getByTestId('node-creator-item-name').getByText(name, { exact: true }),
			})
			.first();
	}
}
