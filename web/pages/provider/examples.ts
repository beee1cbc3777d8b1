import type { ProviderViews } from '../../../src/extras/provider/views.ts'
import { at, own } from '../own-account/examples.ts'
import type { ExamplesOf } from '../page.ts'

const asked = {
  action: '/oauth/interaction/Yd2tLC9hKZ3aQzW8vXfN1',
  csrf: own.csrf,
  application: 'Grafana',
  operator: null,
  username: 'ann',
}
const consent = {
  ...asked,
  homeUri: null,
  returnsTo: 'grafana.example.org',
  scopes: ['openid', 'profile', 'email'],
  lacksEmail: false,
}
const row = {
  client: 'grafana',
  name: 'Grafana',
  homeUri: 'https://grafana.example.org',
  scopes: ['openid', 'profile', 'groups'],
  isOffline: false,
  givenAt: at,
}

export const examples: ExamplesOf<ProviderViews> = {
  'provider-consent': {
    plain: consent,
    'all it can say': {
      ...consent,
      operator: 'Example Ltd',
      homeUri: 'https://grafana.example.org',
      scopes: ['openid', 'email', 'roles', 'offline_access', 'posts:read'],
      lacksEmail: true,
    },
  },
  'provider-account': { plain: asked },
  'provider-refused': { plain: asked, 'with its operator': { ...asked, operator: 'Example Ltd' } },
  'provider-problem': {
    plain: { error: 'invalid_client', description: null, requestId: 'a1b2c3d4-1' },
    described: {
      error: 'invalid_redirect_uri',
      description: "redirect_uri did not match any of the client's registered redirect_uris",
      requestId: 'a1b2c3d4-1',
    },
  },
  'provider-sign-out': {
    plain: { ...asked, application: null },
    'of an application': asked,
  },
  'provider-device': {
    plain: { csrf: own.csrf, code: '', isWrong: false },
    wrong: { csrf: own.csrf, code: 'WDJB-MJHT', isWrong: true },
  },
  'provider-device-decision': {
    plain: {
      ...{ csrf: own.csrf, code: 'WDJBMJHT', username: 'ann', application: 'Television' },
      ...{ operator: 'Example Ltd', scopes: ['openid', 'profile'], address: '192.0.2.7' },
      isOpen: true,
    },
    'for others': {
      ...{ csrf: own.csrf, code: 'WDJBMJHT', username: 'ann', application: 'Television' },
      ...{ operator: null, scopes: ['openid'], address: '192.0.2.7', isOpen: false },
    },
  },
  'provider-device-done': { connected: { isGiven: true }, refused: { isGiven: false } },
  'account-applications': {
    none: { ...own, applications: [] },
    several: {
      ...own,
      applications: [
        row,
        { ...row, client: 'notes', name: 'Notes', homeUri: null, isOffline: true },
        { ...row, client: 'wiki', name: 'Wiki', scopes: [], givenAt: null },
      ],
    },
    withdrawn: { ...own, done: 'application_withdrawn', applications: [row] },
  },
}
