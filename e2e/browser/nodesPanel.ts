import type { Page } from 'playwright-core';

/** The panel in which a user searches for nodes. */
export class NodesPanel {
	constructor(private readonly page: Page) {}

	/**
	 * Starts a workflow on an empty canvas with a manual trigger and a node.
	 * @param choice what to select next in the panel, such as an action
	 * @param pause between the steps, in a recording
	 */
	async startWorkflow(
		node: string,
		choice: string,
		pause: () => Promise<void> = async () => {},
	): Promise<void> {
		await this.openCanvas();
		await pause();
		await this.open();
		await pause();
		await this.item('Trigger manually').click();
		await this.add(node, choice, pause);
	}

	/** Adds a node after the one that was added or opened last. */
	async add(
		node: string,
		choice: string,
		pause: () => Promise<void> = async () => {},
	): Promise<void> {
		await this.open();
		await this.find(node, node);
		await pause();
		await this.item(node).click();
		await pause();
		await this.select(choice);
	}

	async openCanvas(): Promise<void> {
		if (!this.page.url().endsWith('/workflow/new')) await this.page.goto('/workflow/new');
		await this.page.getByText('Add first step').waitFor();
	}

	async open(): Promise<void> {
		await this.page.getByTestId('node-creator-plus-button').click();
		await this.search.waitFor();
	}

	/** @returns the names of the nodes that match, best match first */
	async find(query: string, expected: string): Promise<string[]> {
		await this.search.fill(query);
		await this.item(expected).waitFor();
		return await this.page.getByTestId('node-creator-item-name').allInnerTexts();
	}

	/** Opens a node in the panel. @returns its actions and triggers */
	async actionsOf(node: string): Promise<string[]> {
		await this.find(node, node);
		await this.item(node).click();
		await this.page.getByText(/^(Video )?Actions \(\d+\)$/).waitFor();
		return await this.page.getByTestId('node-creator-item-name').allInnerTexts();
	}

	/** Selects an entry of the panel, such as an action. */
	async select(choice: string): Promise<void> {
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
