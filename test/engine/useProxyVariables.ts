/** The variables that name a proxy: each test has only those that it sets. */
export function useProxyVariables(): void {
	const environment = { ...process.env };
	const clear = () => {
		for (const name of Object.keys(process.env))
			if (/_proxy$/i.test(name)) delete process.env[name];
	};
	beforeEach(clear);
	afterAll(() => {
		clear();
		Object.assign(process.env, environment);
	});
}
