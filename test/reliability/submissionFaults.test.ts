import { testFaults } from './testFaults';

testFaults('submissionFaults');
