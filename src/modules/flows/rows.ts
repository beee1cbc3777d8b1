/** For sign-ins at providers. */
export { flowStore as flowRows, type StoredFlow } from './store.ts'
