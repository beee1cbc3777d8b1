import { changedCode, channel, notifiesSetting } from '../postgres/notification.ts'
import type { Migration } from './statement.ts'

/**
 * The triggers of `notifying` leave the notification to a session that has said that it notifies
 * after its commit, and tell it of the change. For version 0.3.0, behind a pooler and by hand, they
 * notify as before. docs/adr/0046
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
