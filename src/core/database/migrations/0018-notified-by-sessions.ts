import { changedCode, channel, notifiesSetting } from '../postgres/notification.ts'
import type { Migration } from './statement.ts'

/**
 * Triggers leave the notification to sessions that notify after their commit. For version 0.3.0,
 * poolers and manual changes, triggers still notify. docs/adr/0046
 */
export const statements: Migration = [
  {
    postgres: [
      `create or replace function tell_nodes() returns trigger language plpgsql as $$
    begin
      if current_setting('${notifiesSetting}', true) = 'on' then
        raise notice 'other nodes must be told' using errcode = '${changedCode}';
      else
        perform pg_notify('${channel}', '');
      end if;
      return null;
    end $$`,
    ],
  },
]
