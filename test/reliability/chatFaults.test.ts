import { testFaults } from './testFaults';

testFaults('chatFaults');
