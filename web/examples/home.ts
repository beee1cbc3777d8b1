import type { HomeView, HomeViews } from '../../src/core/http/pages/views/home.ts'
import type { ExamplesOf } from './types.ts'

const plain: HomeView = {
  links: {
    documentation: { href: '/api/docs' },
    openapi: { href: '/api/openapi.json' },
    jwks: { href: '/.well-known/jwks.json' },
    health: { href: '/health/ready' },
  },
  signIn: [],
  isForAdmin: true,
}

export const homeExamples: ExamplesOf<HomeViews> = {
  home: {
    plain,
    'with providers': {
      ...plain,
      isForAdmin: false,
      signIn: [
        { href: '/oauth/acme/login', logout: '/oauth/acme/logout', label: 'acme' },
        { href: '/oauth/login', logout: '/oauth/logout', label: 'login.example.org' },
      ],
    },
  },
  'home-trouble': { 'too often': { isTooOften: true }, 'not now': { isTooOften: false } },
}
