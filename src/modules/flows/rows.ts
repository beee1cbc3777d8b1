/** The rows of flows, for a room that keeps flows of another kind: sign-ins at providers. */
export { flowStore as flowRows, type StoredFlow } from './store.ts'
