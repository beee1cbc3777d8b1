import type { RefusalView, RefusalViews } from '../../../src/core/http/pages/views/refusal.ts'
import type { ExamplesOf } from '../page.ts'

const plain: RefusalView = {
  error: 'internal',
  message: 'Internal server error',
  requestId: 'h3Kq9Zp-12',
  retryAfterSeconds: null,
  again: null,
  enrolmentToken: null,
}

export const examples: ExamplesOf<RefusalViews> = {
  refusal: {
    otherwise: plain,
    'begin again': {
      ...plain,
      error: 'signInFailed',
      message: 'Sign-in failed',
      again: '/oauth/login?return_to=%2F',
    },
    'page not found': { ...plain, error: 'pageNotFound', message: 'Route not found' },
    'try later': {
      ...plain,
      error: 'tooManyLoginAttempts',
      message: 'Too many login attempts',
      retryAfterSeconds: 860,
    },
    'with a token': {
      ...plain,
      error: 'enrolmentRequired',
      message: 'Second factor enrolment required',
      enrolmentToken:
        'eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiIxMiIsInNjb3BlIjoiZW5yb2wifQ.MEUCIQCabcdefghijklmnopqrstuvwxyz0123456789',
    },
  },
}
