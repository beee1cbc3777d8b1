/** The rows of flows, for a module that keeps flows of another kind: sign-ins at providers. */
export { flowStore as flowRows, type StoredFlow } from './store.ts'
