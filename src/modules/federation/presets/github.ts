import { wrong } from '../guarded-fetch.ts'
import { objectOf, textOf } from './answers.ts'
import type { Preset } from './preset.ts'

const api = 'https://api.github.com'
// GitHub refuses requests without a user agent.
const headers = {
  accept: 'application/vnd.github+json',
  'x-github-api-version': '2022-11-28',
  'user-agent': 'gatehouse',
}

/**
 * The issuer is the one that GitHub states in its metadata and as `iss` (RFC 9207). A login can be
 * given up and taken by another person; `id` stays. The address of the profile is chosen by the
 * person, and may be unverified: only /user/emails states what is verified.
 */
export const github: Preset = {
  label: 'GitHub',
  kind: 'oauth2',
  fixed: {
    KIND: 'oauth2',
    ISSUER: 'https://github.com/login/oauth',
    AUTHORIZATION_ENDPOINT: 'https://github.com/login/oauth/authorize',
    TOKEN_ENDPOINT: 'https://github.com/login/oauth/access_token',
    USERINFO_ENDPOINT: `${api}/user`,
    SCOPE: 'read:user user:email',
  },
  needs: ['CLIENT_ID', 'CLIENT_SECRET'],
  fresh: null,
  async person(ask) {
    const { id, login, name } = objectOf(await ask(`${api}/user`, headers))
    if (typeof id !== 'number' || !Number.isSafeInteger(id) || id <= 0) {
      throw wrong('GitHub states no id of the person')
    }
    const email = primaryAddress(await ask(`${api}/user/emails?per_page=100`, headers))
    return {
      subject: String(id),
      username: textOf(login),
      email,
      isEmailVerified: email !== undefined,
      name: textOf(name),
    }
  },
}

function primaryAddress(value: unknown): string | undefined {
  if (!Array.isArray(value)) throw wrong('GitHub states no list of addresses')
  const found = value
    .filter((each) => typeof each === 'object' && each !== null)
    .find(({ primary, verified }) => primary === true && verified === true)
  return textOf(found?.email)
}
