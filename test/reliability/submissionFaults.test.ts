import { testFaults } from './testFaults';

testFaults(['models', 'submit', 'get']);
