export { slowSuite as default } from './vitest.config.ts';
