import type { Locator, Page } from 'playwright-core';

/** The canvas of n8n's editor. */
export class Canvas {
	constructor(private readonly page: Page) {}

	async open(workflowId: string): Promise<void> {
		await this.page.goto(`/workflow/${workflowId}`);
		await this.page.getByTestId('canvas-node').first().waitFor();
	}

	/** Imports a workflow from a file, onto an empty canvas. */
	async importFile(path: string): Promise<void> {
		await this.page.goto('/workflow/new');
		await this.page.getByTestId('workflow-import-input').setInputFiles(path);
		await this.page.getByTestId('canvas-node').first().waitFor();
	}

	/** Shows the whole workflow, above the button at the lower edge. */
	async zoomToFit(): Promise<void> {
		await this.page.getByTestId('zoom-to-fit').click();
		await this.page.getByTestId('zoom-out-button').click();
	}

	/** Starts the whole workflow. */
	async execute(): Promise<void> {
		await this.page.getByTestId('execute-workflow-button').first().click();
	}

	async waitUntilRunning(): Promise<void> {
		await this.stopButton.waitFor();
	}

	/** Waits until a node has succeeded. */
	async waitUntilFinished(node: string): Promise<void> {
		await this.node(node).getByTestId('canvas-node-status-success').waitFor();
	}

	async stop(): Promise<void> {
		await this.stopButton.click();
		await this.stopButton.waitFor({ state: 'hidden' });
	}

	/** Opens the details of a node. */
	async openNode(name: string): Promise<void> {
		await this.node(name).dblclick();
		await this.page.getByTestId('ndv').waitFor();
	}

	/** @returns the beginnings of the sticky notes whose text does not fit */
	async truncatedNotes(): Promise<string[]> {
		const notes = this.page.getByTestId('sticky');
		await notes.first().waitFor();
		const texts = notes.locator('*').and(this.page.locator('div'));
		return await texts.evaluateAll((parts) =>
			parts
				.filter(
					({ scrollHeight, clientHeight }) => clientHeight > 0 && scrollHeight > clientHeight + 2,
				)
				.map(({ textContent }) => String(textContent).trim().slice(0, 40)),
		);
	}

	private get stopButton(): Locator {
		return this.page.getByTestId('stop-execution-button');
	}

	node(name: string): Locator {
		return this.page.locator(`[data-test-id=canvas-node][data-node-name="${name}"]`);
	}
}
