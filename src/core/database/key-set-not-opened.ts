import { DatabaseUnavailable } from './errors.ts'

/**
 * This process has the previous master key only. Requests that need the key set get 503 until the
 * new key is available.
 */
export class KeySetNotOpened extends DatabaseUnavailable {
  constructor(reason: string) {
    super(reason)
    this.name = 'KeySetNotOpened'
  }
}
