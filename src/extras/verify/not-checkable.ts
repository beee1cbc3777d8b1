import type { NotCheckable } from './check.ts'

/** Rows that only the inside, another party, or a fault of the service shows. */
export const notCheckable: readonly NotCheckable[] = [
  {
    id: '2.2-password-hash',
    rows: ['2.2 password', '5.6 hash'],
    reason: 'how passwords are stored is not visible from outside',
  },
  {
    id: '2.4-person-claims',
    rows: ['2.4 person', '1 external', '5.4 provider'],
    reason: 'needs an identity provider that signs tokens',
  },
  {
    id: '3.2-early',
    rows: '3.2 early',
    reason: 'needs a token of the future with a valid signature: the service issues none',
  },
  {
    id: '4.4-token-exchange',
    rows: ['4.4 token', '4.4 userinfo', '8 pkce'],
    reason: 'takes place between the service and the identity provider',
  },
  {
    id: '5.1-https',
    rows: '5.1 https',
    reason: 'a matter of the deployment, which the doctor checks',
  },
  {
    id: '5.3-secrets',
    rows: '5.3 secrets',
    reason: 'where secrets come from, and when they change, is not visible from outside',
  },
  {
    id: '5.6-rotation',
    rows: '5.6 rotation',
    reason: 'that no password ever ends cannot be shown in a finite time',
  },
  {
    id: '7-failure',
    rows: '7 failure',
    reason: 'no request is known that makes the service fail',
  },
]
