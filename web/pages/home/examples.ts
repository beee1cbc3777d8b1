import type { HomeView, HomeViews } from '../../../src/extras/home/views.ts'
import type { ExamplesOf } from '../page.ts'

const plain: HomeView = {
  signIn: [],
  links: [],
  developers: {
    documentation: { href: '/api/docs' },
    openapi: { href: '/api/openapi.json' },
    jwks: { href: '/.well-known/jwks.json' },
    health: { href: '/health/ready' },
  },
}

export const examples: ExamplesOf<HomeViews> = {
  home: {
    plain,
    'with providers': {
      ...plain,
      developers: null,
      links: [{ name: 'signUp', href: '/signup' }],
      signIn: [
        { href: '/oauth/acme/login', logout: '/oauth/acme/logout', label: 'acme' },
        { href: '/oauth/login', logout: '/oauth/logout', label: 'login.example.org' },
      ],
    },
  },
  'home-trouble': { 'too often': { isTooOften: true }, 'not now': { isTooOften: false } },
}
