import { answers, error, field, json, type Mutation, nameIn, plain, to } from './spoils.ts'

const users = /^\/users$/
const oneUser = /^\/users\/\d+$/

export const resourceMutations: readonly Mutation[] = [
  {
    wrong: 'a created user is 200',
    only: ['4.2-'],
    found: ['4.2-create-201', '4.2-create-longest-name'],
    make: answers(to('POST', users, 201), () => ({ status: 200 })),
  },
  {
    wrong: 'a user has a further field',
    only: ['4.2-get', '4.2-update'],
    found: ['4.2-get-200', '4.2-update-stays'],
    make: answers(to('GET', oneUser, 200), field('roles', [])),
  },
  {
    wrong: 'a missing user has another text',
    only: ['4.2-'],
    found: ['4.2-get-404', '4.2-delete-is-gone'],
    make: answers(to('GET', oneUser, 404), error('Not found')),
  },
  {
    wrong: 'a page is in the wrong order',
    only: ['4.2-page'],
    found: ['4.2-page-slice'],
    make: answers(
      to('GET', /page=1&limit=2/),
      json((body) => ({ ...body, data: [body.data].flat().reverse() })),
    ),
  },
  {
    wrong: 'the default limit is 20',
    only: ['4.2-page'],
    found: ['4.2-page-default', '4.2-page-not-numeric', '4.2-page-zero'],
    make: answers((_, { text }) => text.includes('"limit":10'), field('limit', 20)),
  },
  {
    wrong: 'page zero is page zero',
    only: ['4.2-page'],
    found: ['4.2-page-zero'],
    make: answers(to('GET', /page=0/), field('page', 0)),
  },
  {
    wrong: 'the total is a text',
    only: ['4.2-page-d'],
    found: ['4.2-page-default'],
    make: answers(to('GET', /page=1$/), field('total', '1')),
  },
  {
    wrong: 'a missing field is a violation',
    only: ['4.2-create'],
    found: ['4.2-create-name-missing', '4.2-create-email-missing'],
    make: answers((_, { text }) => text.includes('Name and email'), error('Validation failed')),
  },
  {
    wrong: 'a long name is cut',
    only: ['4.2-create'],
    found: ['4.2-create-name-too-long'],
    make: () => (asked, forward) =>
      forward({ ...asked, body: asked.body.replace(/n{101}/, 'n'.repeat(100)) }),
  },
  {
    wrong: 'violations have no details',
    only: ['4.2-create'],
    found: ['4.2-create-name-empty', '4.2-create-name-too-long', '4.2-create-email-invalid'],
    make: answers((_, { text }) => text.includes('Validation failed'), error('Validation failed')),
  },
  {
    wrong: 'a body that is no JSON is a failure of the server',
    only: ['4.2-create', '4.2-update'],
    found: ['4.2-create-not-json', '4.2-update-not-json'],
    make: answers(
      (_, { text }) => text.includes('Invalid request body'),
      () => ({ status: 500 }),
    ),
  },
  {
    wrong: 'a change is not stored',
    only: ['4.2-update-n', '4.2-update-s'],
    found: ['4.2-update-stays'],
    make: () => async (asked, forward) => {
      const isChange = asked.method === 'PUT' && oneUser.test(asked.path)
      if (!isChange || !asked.body.includes('Changed')) return forward(asked)
      const former = await forward({ ...asked, method: 'GET', body: '' })
      return { ...former, ...json((user) => ({ ...user, ...JSON.parse(asked.body) }))(former) }
    },
  },
  {
    wrong: 'a deletion has no effect',
    only: ['4.2-delete'],
    found: ['4.2-delete-is-gone'],
    make: () => {
      const seen = new Set<string>()
      return async (asked, forward) => {
        const isOfRun = nameIn(asked.headers.authorization).endsWith('-admin')
        const isFirst = isOfRun && asked.method === 'DELETE' && !seen.has(asked.path)
        seen.add(asked.path)
        return forward(isFirst ? { ...asked, method: 'GET' } : asked)
      }
    },
  },
  {
    wrong: 'an EDITOR may read what is for ADMIN',
    only: ['4.3-admin'],
    found: ['4.3-admin-by-editor'],
    make: answers(
      ({ headers, path }) =>
        path === '/api/admin/accounts' && nameIn(headers.authorization).endsWith('-editor'),
      () => plain(200, { page: 1, limit: 10, total: 0, data: [] }),
    ),
  },
  {
    wrong: 'a refused post is 404',
    only: ['4.3-posts-create'],
    found: ['4.3-posts-create-by-user'],
    make: answers(to('POST', /^\/api\/posts$/, 403), () => ({ status: 404 })),
  },
  {
    wrong: 'ADMIN may change a locked post',
    only: ['4.3-posts-update'],
    found: ['4.3-posts-update-admin-locked'],
    make: () => async (asked, forward) => {
      const isAdmins = nameIn(asked.headers.authorization).endsWith('-admin')
      if (asked.method !== 'PUT' || !asked.path.startsWith('/api/posts/') || !isAdmins) {
        return forward(asked)
      }
      const lock = `${asked.path.replace('/api/', '/api/admin/')}/lock`
      await forward({ ...asked, method: 'DELETE', path: lock, body: '' })
      return forward(asked)
    },
  },
  {
    wrong: 'the public group asks for credentials',
    only: ['4.3-public'],
    found: ['4.3-public'],
    make: answers(to('GET', /^\/api\/public\//), () => plain(401, { error: 'Who?' })),
  },
]
