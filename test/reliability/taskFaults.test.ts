import { testFaults } from './testFaults';

testFaults('taskFaults');
