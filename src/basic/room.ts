import type { Room } from '../room/room.ts'
import type { BasicDeps } from './authenticator.ts'

export const room: Room<BasicDeps> = {
  name: 'basic',

  async authenticators(needs, before) {
    const { basicAuthenticator } = await import('./authenticator.ts')
    return [...before, basicAuthenticator(needs)]
  },
}
