export { close as default } from './open';
