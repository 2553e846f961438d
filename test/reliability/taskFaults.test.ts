import { testFaults } from './testFaults';

testFaults(['poll', 'download']);
