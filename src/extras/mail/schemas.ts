import {
  Count,
  exactly,
  listQuery,
  named,
  pageExample,
  pageOf,
  Text,
  TextOrNull,
  Time,
  TimeOrNull,
} from '../../core/http/schemas.ts'
import { languages } from '../../core/lib/languages.ts'
import { type MessageName, messageTypes } from './message-types.ts'

export const mailStates = [
  'waiting',
  'sending',
  'sent',
  'failed',
  'expired',
  'cancelled',
  'dropped',
] as const

const messages = Object.keys(messageTypes) as [MessageName]

export const MailId = {
  type: 'object',
  properties: { id: { ...Text, examples: ['Zn8xQw2VbTq0yL4sKc7R1A'] } },
} as const

export const MailBody = named(
  'Mail',
  exactly({
    id: { ...Text, description: 'It stands in the Message-ID too' },
    message: { type: 'string', enum: messages },
    kind: { type: 'string', enum: ['request', 'notice'] },
    state: {
      type: 'string',
      enum: mailStates,
      description: '`dropped`: never sent, for a limit or because no account has the address',
    },
    username: { ...TextOrNull, description: 'Of the account that it is for' },
    address: { ...TextOrNull, description: 'Null after the end, when it is wiped' },
    attempts: Count,
    response: { ...TextOrNull, description: 'What the mail server has said at last' },
    created_at: Time,
    due_at: { ...TimeOrNull, description: 'The next attempt; null after the end' },
    expires_at: { ...Time, description: 'After that it is not sent any more' },
    finished_at: TimeOrNull,
  }),
  {
    id: 'Zn8xQw2VbTq0yL4sKc7R1A',
    message: 'reset',
    kind: 'request',
    state: 'waiting',
    username: 'ann',
    address: 'ann@example.org',
    attempts: 1,
    response: '450 4.2.0 Try again later',
    created_at: '2026-03-02T09:40:00.000Z',
    due_at: '2026-03-02T09:40:05.000Z',
    expires_at: '2026-03-02T10:10:00.000Z',
    finished_at: null,
  },
)

export const MailPage = named('MailPage', pageOf(MailBody), pageExample())

export function mailQuery(maxPerPage: number) {
  return {
    type: 'object',
    properties: {
      ...listQuery(maxPerPage).properties,
      state: {
        type: 'string',
        enum: mailStates,
        description: 'Mail in this state',
        examples: ['failed'],
      },
      message: {
        type: 'string',
        enum: messages,
        description: 'Mail that says this',
        examples: ['reset'],
      },
      username: { ...Text, description: 'Mail for this account', examples: ['ann'] },
    },
  } as const
}

const preview = {
  id: { ...Text, description: 'The message, and the case where there are several' },
  message: { type: 'string', enum: messages },
  kind: { type: 'string', enum: ['request', 'notice'] },
} as const
const previewExample = { id: 'reset-by-administrator', message: 'reset', kind: 'request' }

export const MailPreviewId = {
  type: 'object',
  properties: { id: { ...Text, examples: [previewExample.id] } },
} as const

export const MailPreviewQuery = {
  type: 'object',
  properties: {
    language: {
      type: 'string',
      enum: languages,
      description: 'PAGES_LANGUAGE if absent',
      examples: ['de'],
    },
  },
} as const

export const MailPreviewList = named(
  'MailPreviewList',
  exactly({
    data: {
      type: 'array',
      items: {
        type: 'object',
        required: ['id', 'message', 'kind'],
        properties: preview,
        additionalProperties: false,
      },
    },
  }),
  { data: [previewExample] },
)

export const MailPreview = named(
  'MailPreview',
  {
    type: 'object',
    required: ['id', 'message', 'kind', 'language', 'subject', 'text', 'html'],
    properties: {
      ...preview,
      language: { type: 'string', enum: languages },
      subject: Text,
      text: Text,
      html: {
        ...Text,
        description: 'A whole document, without scripts, pictures or other addresses',
      },
    },
    additionalProperties: false,
  },
  {
    ...previewExample,
    language: 'en',
    subject: 'Set a new password',
    text: 'An administrator asks you to set a new password.',
    html: '<!doctype html><html lang="en"><body><p>Set a new password.</p></body></html>',
  },
)

export const TestMail = named(
  'TestMail',
  {
    type: 'object',
    required: ['address'],
    properties: {
      address: { ...Text, description: 'A mail address' },
      language: { type: 'string', enum: languages },
    },
  },
  { address: 'postmaster@example.org' },
)
