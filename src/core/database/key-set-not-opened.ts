import { DatabaseUnavailable } from './errors.ts'

/**
 * This process knows no master key that opens the key set: the master key was rotated, and its files have
 * the one before. What needs the key set is answered 503 until the next key is known.
 */
export class KeySetNotOpened extends DatabaseUnavailable {
  constructor(reason: string) {
    super(reason)
    this.name = 'KeySetNotOpened'
  }
}
