import { CredentialForm } from '../browser/credentialForm';
import { journey } from '../browser/journey';

journey('a user creates, tests and corrects a credential', async (given) => {
	const { page, simulator, environment, screenshot } = given;
	const credential = new CredentialForm(page);
	await credential.open('Generation Service API');
	await screenshot('an empty form');

	await credential.fill('baseUrl', 'http://127.0.0.1:9');
	await credential.fill('apiKey', 'wrong');
	await credential.save();
	await credential.expandDetails();
	await credential.waitForText(
		'The service refused the connection. Check the Base URL and its port',
	);
	await screenshot('a wrong URL');

	await credential.fill('baseUrl', environment.url);
	await credential.save();
	await credential.waitForText('Endpoint not found. Check the Base URL');
	await screenshot('the URL of something else');

	await credential.fill('baseUrl', simulator.url);
	await credential.save();
	await credential.waitForText('The service refused the API key. Check the key');
	await screenshot('a wrong key');

	await credential.fill('apiKey', `Bearer ${simulator.key}`);
	await credential.save();
	await credential.waitForText('Connection tested successfully');
	await screenshot('a good credential');
	expect(simulator.requests.slice(-2)).toMatchObject([
		{ endpoint: 'models' },
		{ endpoint: 'poll' },
	]);
});
