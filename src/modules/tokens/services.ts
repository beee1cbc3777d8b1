import { subscribersOf } from '../../core/module/hooks.ts'
import { hook, service } from '../../core/module/service.ts'
import { endRefreshToken } from './end-token.ts'
import type { OtherTokens } from './other-tokens.ts'
import { createProfiles, type Profiles } from './profiles.ts'
import { loadRevocations, type Revocations } from './revocations.ts'
import { createRotation, type Rotation } from './rotation.ts'
import { createTokens, type Tokens } from './tokens.ts'
import { createVerified, type Verified } from './verified.ts'

declare module '../../core/module/services.ts' {
  interface Services {
    readonly otherTokens: () => readonly OtherTokens[]
    readonly endRefresh: (token: string) => Promise<unknown>
    readonly profiles: Profiles
    readonly revocations: Revocations
    readonly rotation: Rotation
    readonly tokens: Tokens
    readonly verified: Verified
  }
}

export const services = [
  service({
    makes: ['revocations'],
    create: async (needs) => ({ revocations: await loadRevocations(needs) }),
  }),
  service({
    makes: ['rotation'],
    create: (needs) => ({ rotation: createRotation(needs) }),
  }),
  service({
    needs: ['accountClaims', 'keys'],
    makes: ['tokens'],
    create: (needs) => ({ tokens: createTokens(needs) }),
  }),
  service({
    needs: ['keys', 'tokens'],
    makes: ['verified'],
    create: (needs) => ({ verified: createVerified(needs) }),
  }),
  service({
    needs: ['users', 'revocations'],
    makes: ['profiles'],
    create: ({ users, revocations }) => ({ profiles: createProfiles(users, revocations) }),
  }),
  service({
    makes: ['otherTokens'],
    hooks: ['otherTokens'],
    create: ({ otherTokens }) => ({ otherTokens: () => subscribersOf(otherTokens) }),
  }),
  service({
    needs: ['revocations', 'rotation', 'tokens'],
    makes: ['endRefresh'],
    create: (needs) => ({
      endRefresh: (token) => endRefreshToken(needs, token, { reason: 'logout' }),
    }),
  }),
]

export const hooks = [
  hook(
    'onAccountEnded',
    ['revocations'],
    ({ revocations }) =>
      (trx, { userId, accessVersion }) =>
        revocations.revokeBelow(trx, userId, accessVersion),
  ),
  hook(
    'onAccountChanged',
    ['revocations'],
    ({ revocations }) =>
      async () =>
        revocations.appended(),
  ),
  hook(
    'onUserChanged',
    ['profiles', 'revocations'],
    ({ profiles, revocations }) =>
      async (userId) => {
        profiles.forget(userId)
        revocations.appended()
      },
  ),
]
