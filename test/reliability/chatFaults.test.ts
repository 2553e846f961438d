import { testFaults } from './testFaults';

testFaults(['chat', 'chatStream']);
