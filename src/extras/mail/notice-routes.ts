import { type App, exactly, named, TextOrNull, Time, TimeOrNull } from '../../core/http/schemas.ts'
import { isoTime, isoTimeOrNull } from '../../core/lib/clock.ts'
import type { Needs } from '../../core/module/services.ts'
import { authenticated } from '../../core/policy/rules.ts'
import { ownAccount, ownAccountPrefixes, ownOperationId } from '../../modules/accounts/look-up.ts'
import { noticeTypes } from './message-types.ts'
import type { Notice } from './notices.ts'

export const prefixes = ownAccountPrefixes

const NoticeBody = named(
  'Notice',
  exactly({
    type: { type: 'string', enum: noticeTypes },
    at: Time,
    facts: named(
      'NoticeFacts',
      {
        type: 'object',
        required: ['by', 'address', 'browser', 'system', 'provider', 'codes_left', 'locked_until'],
        properties: {
          by: { type: 'string', enum: ['owner', 'administrator', 'operator', 'service'] },
          address: { ...TextOrNull, description: 'Null if it is not that of the owner' },
          browser: { ...TextOrNull, description: 'Or another program; null: not recognised' },
          system: { ...TextOrNull, description: 'Operating system; null: not recognised' },
          provider: { ...TextOrNull, description: 'That was linked or unlinked' },
          codes_left: { type: ['integer', 'null'], description: 'Recovery codes that are left' },
          locked_until: TimeOrNull,
          event: { type: 'string', description: 'Of `account_event`: docs/events.md' },
          locked_during: {
            type: 'string',
            enum: ['reset'],
            description: 'Of a lock by wrong codes of the second factor at a reset',
          },
          linked_providers: {
            type: 'array',
            items: { type: 'string' },
            description: 'After a change of the password: where a sign-in still opens the account',
          },
        },
        additionalProperties: false,
      },
      {
        by: 'owner',
        address: '203.0.113.9',
        browser: 'Firefox',
        system: 'Linux',
        provider: null,
        codes_left: null,
        locked_until: null,
      },
    ),
  }),
  {
    type: 'password_changed',
    at: '2026-03-02T09:15:00.000Z',
    facts: {
      by: 'owner',
      address: '203.0.113.9',
      browser: 'Firefox',
      system: 'Linux',
      provider: null,
      codes_left: null,
      locked_until: null,
      linked_providers: ['acme'],
    },
  },
)

/**
 * GET /notices under /api/user/account (role USER) and /api/account (any account): the last 30
 * days.
 */
export async function routes(app: App, { accounts, notices }: Needs): Promise<void> {
  app.get(
    '/notices',
    {
      config: { tag: 'Own account', access: { rule: authenticated }, errors: ['accountNotFound'] },
      schema: {
        operationId: ownOperationId('listOwnNotices', app.prefix),
        summary: 'What happened to the own account in the last 30 days, the newest first',
        response: { 200: { type: 'array', items: NoticeBody } },
      },
    },
    async (request) => {
      const { userId } = await ownAccount(accounts, request)
      return (await notices.of(userId)).map(showNotice)
    },
  )
}

function showNotice({ type, at, facts }: Notice) {
  const { by, origin, provider = null, left = null, until = null } = facts
  const { during, event, linked } = facts
  return {
    type,
    at: isoTime(at),
    facts: {
      by,
      address: origin.address,
      browser: origin.device?.browser ?? null,
      system: origin.device?.system ?? null,
      provider,
      codes_left: left,
      locked_until: isoTimeOrNull(until),
      ...(event && { event }),
      ...(during && { locked_during: during }),
      ...(linked && { linked_providers: [...linked] }),
    },
  }
}
