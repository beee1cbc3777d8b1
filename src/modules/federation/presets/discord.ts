import { wrong } from '../guarded-fetch.ts'
import { objectOf, textOf } from './answers.ts'
import type { Preset } from './preset.ts'

const api = 'https://discord.com/api/v10'

/** The id is a snowflake, as text: JSON numbers cannot hold it. Names can change hands. */
export const discord: Preset = {
  label: 'Discord',
  kind: 'oauth2',
  fixed: {
    KIND: 'oauth2',
    ISSUER: 'https://discord.com',
    AUTHORIZATION_ENDPOINT: 'https://discord.com/oauth2/authorize',
    TOKEN_ENDPOINT: `${api}/oauth2/token`,
    USERINFO_ENDPOINT: `${api}/users/@me`,
    SCOPE: 'identify email',
  },
  needs: ['CLIENT_ID', 'CLIENT_SECRET'],
  fresh: null,
  async person(ask) {
    const { id, username, global_name, email, verified } = objectOf(await ask(`${api}/users/@me`))
    if (typeof id !== 'string' || !/^[1-9]\d{0,19}$/.test(id)) {
      throw wrong('Discord states no id of the person')
    }
    const isEmailVerified = verified === true && textOf(email) !== undefined
    return {
      subject: id,
      username: textOf(username),
      email: isEmailVerified ? textOf(email) : undefined,
      isEmailVerified,
      name: textOf(global_name),
    }
  },
}
