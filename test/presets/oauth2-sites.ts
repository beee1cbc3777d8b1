import type { Json } from '../forge.ts'
import type { Asked, Site, World } from './world.ts'

export const secret = 'a-secret_of.the~tests'

/** docs.github.com, "Authorizing OAuth apps" and "REST API endpoints for users". */
export function githubSite({ personOf, take, tokenOf }: World): Site {
  const isAgent = ({ headers }: Asked) => headers['user-agent'] === 'gatehouse'
  return {
    paths: {
      // Errors come with 200; without an Accept header all answers are forms.
      'github.com/login/oauth/access_token': ({ form, headers }) => {
        const shape = (json: Json) =>
          headers.accept?.includes('application/json') ? { json } : { form: json }
        if (form.get('client_id') !== 'hub-id' || form.get('client_secret') !== secret) {
          return shape({ error: 'incorrect_client_credentials', error_description: 'Wrong.' })
        }
        const grant = take(form)
        if (!grant) return shape({ error: 'bad_verification_code', error_description: 'Expired.' })
        const scope = 'read:user,user:email'
        return shape({ access_token: tokenOf(grant.person), scope, token_type: 'bearer' })
      },
      'api.github.com/user': (asked) => {
        if (!isAgent(asked)) return { status: 403, json: { message: 'Forbidden' } }
        const person = personOf(asked)
        if (!person) return { status: 401, json: { message: 'Bad credentials' } }
        const { addresses: _, ...profile } = person
        return { json: profile }
      },
      'api.github.com/user/emails': (asked) => {
        const person = personOf(asked)
        if (!person) return { status: 401, json: { message: 'Bad credentials' } }
        return { json: person.addresses ?? [] }
      },
    },
  }
}

/** docs.discord.com, "OAuth2" and "User Resource". */
export function discordSite({ personOf, take, tokenOf }: World): Site {
  return {
    paths: {
      'discord.com/api/v10/oauth2/token': ({ form }) => {
        if (
          form.get('client_id') !== '157730590492196864' ||
          form.get('client_secret') !== secret
        ) {
          return { status: 401, json: { error: 'invalid_client' } }
        }
        const grant = take(form)
        if (!grant) return { status: 400, json: { error: 'invalid_grant' } }
        const access_token = tokenOf(grant.person)
        const more = { expires_in: 604800, refresh_token: 'refresh-1', scope: 'identify email' }
        return { json: { token_type: 'Bearer', access_token, ...more } }
      },
      'discord.com/api/v10/users/@me': (asked) => {
        const person = personOf(asked)
        return person ? { json: person } : { status: 401, json: { message: '401: Unauthorized' } }
      },
    },
  }
}

/** A provider of an operator, of no preset. */
export function wikiSite({ personOf, take, tokenOf }: World): Site {
  return {
    paths: {
      'wiki.example.org/token': ({ form, headers }) => {
        const [id = '', key = ''] = Buffer.from(
          headers.authorization?.split(' ')[1] ?? '',
          'base64',
        )
          .toString()
          .split(':')
          .map(decodeURIComponent)
        if (id !== 'wiki-id' || key !== secret)
          return { status: 401, json: { error: 'invalid_client' } }
        form.set('client_id', id)
        const grant = take(form)
        if (!grant) return { status: 400, json: { error: 'invalid_grant' } }
        return { json: { token_type: 'bearer', access_token: tokenOf(grant.person) } }
      },
      'wiki.example.org/me': (asked) => {
        const person = personOf(asked)
        return person ? { json: { query: { me: person } } } : { status: 401, json: {} }
      },
    },
  }
}

export const settings = {
  OIDC_PROVIDERS: 'hub,chat,wiki',
  OIDC_HUB_PRESET: 'github',
  OIDC_HUB_CLIENT_ID: 'hub-id',
  OIDC_HUB_CLIENT_SECRET: secret,
  OIDC_HUB_SIGN_UP: 'on',
  OIDC_CHAT_PRESET: 'discord',
  OIDC_CHAT_CLIENT_ID: '157730590492196864',
  OIDC_CHAT_CLIENT_SECRET: secret,
  OIDC_CHAT_SIGN_UP: 'on',
  OIDC_WIKI_KIND: 'oauth2',
  OIDC_WIKI_ISSUER: 'https://wiki.example.org',
  OIDC_WIKI_CLIENT_ID: 'wiki-id',
  OIDC_WIKI_CLIENT_SECRET: secret,
  OIDC_WIKI_AUTHORIZATION_ENDPOINT: 'https://wiki.example.org/authorize',
  OIDC_WIKI_TOKEN_ENDPOINT: 'https://wiki.example.org/token',
  OIDC_WIKI_USERINFO_ENDPOINT: 'https://wiki.example.org/me',
  OIDC_WIKI_SUBJECT_FIELD: 'query.me.id',
  OIDC_WIKI_EMAIL_FIELD: 'query.me.mail',
  OIDC_WIKI_NAME_FIELD: 'query.me.real',
  OIDC_WIKI_USERNAME_FIELD: 'query.me.nick',
  OIDC_WIKI_SIGN_UP: 'on',
}
