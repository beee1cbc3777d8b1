import { errorTable } from '../../error-table.ts'
import { exactly, named, Text } from '../schemas.ts'

const error = { type: 'string', description: 'What is wrong: one text for each error' } as const

/** Spec section 7. */
export const ErrorBody = named('Error', exactly({ error }), {
  error: errorTable.accessDenied.error,
})

export const ValidationError = named(
  'ValidationError',
  exactly({
    error,
    details: {
      type: 'array',
      items: named(
        'ErrorDetail',
        exactly({
          path: {
            type: 'array',
            items: Text,
            description: 'The names down to the wrong field',
          },
          message: {
            ...Text,
            description:
              'English, or German where Accept-Language prefers German. Programs compare `error` and `path`',
          },
        }),
        { path: ['email'], message: 'must be an e-mail address' },
      ),
    },
  }),
  {
    error: errorTable.validationFailed.error,
    details: [{ path: ['email'], message: 'must be an e-mail address' }],
  },
)

export const InternalError = named(
  'InternalError',
  exactly({
    error,
    message: { type: 'string', description: 'What failed; in development mode alone' },
  }),
  { error: errorTable.internal.error, message: 'the disk is full' },
)
