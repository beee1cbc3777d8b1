import { changedCode, channel, notifiesSetting } from '../postgres/notification.ts'
import type { Migration } from './statement.ts'

/**
 * The server sends `info` whatever `client_min_messages` is. Sessions that do not wait for
 * confirmations, such as psql, notify the nodes.
 */
const tell = `raise info 'other nodes must know' using errcode = '${changedCode}';
      if current_setting('${notifiesSetting}', true) is distinct from 'on' then
        perform pg_notify('${channel}', '');
      end if;`

function triggerFunction(name: string, body: string): string {
  return `create or replace function ${name}() returns trigger language plpgsql as $$
    begin
      ${body}
      return null;
    end $$`
}

interface LoggedRows {
  readonly table: string
  readonly change: 'insert' | 'delete'
  readonly subject: string
  readonly where?: string
}

/** Neither logs nor notifies if no row has changed. */
export function rowsLogged({ table, change, subject, where = 'true' }: LoggedRows): string[] {
  const name = `log_${change}s_of_${table}`
  return [
    triggerFunction(
      name,
      `insert into node_changes (subject)
        select distinct ${subject} from changed where ${where};
      if not found then
        return null;
      end if;
      ${tell}`,
    ),
    `create trigger ${table}_${change}s_logged after ${change} on ${table}
      referencing ${change === 'insert' ? 'new' : 'old'} table as changed
      for each statement execute function ${name}()`,
  ]
}

/** Only rows that differ are logged: logins and flushes of activity update these tables, too. */
function updatesLogged(table: string, id: string, columns: readonly string[]): string {
  const row = (version: string) => `(${columns.map((name) => `${version}.${name}`).join(', ')})`
  const [kind, column] = id.split(' ')
  return `create trigger ${table}_updates_logged after update on ${table} for each row
      when (${row('old')} is distinct from ${row('new')})
      execute function log_change('${kind}', '${column}')`
}

/**
 * Nodes hold leases on what they keep in memory. `node_changes` is the log of changes that end kept
 * rows: `user <id>`, `session <id>`, `grant <digest>`, or the name of a table whose triggers call
 * `tell_nodes`.
 * docs/adr/0091
 */
export const statements: Migration = [
  {
    postgres: [
      `create table nodes (
      id text collate "C" primary key,
      renewals bigint not null
    )`,
      `create table node_changes (
      xid xid8 not null default pg_current_xact_id(),
      subject text collate "C" not null
    )`,
      'create index node_changes_by_xid on node_changes (xid)',
      triggerFunction(
        'tell_nodes',
        `insert into node_changes (subject) values (tg_table_name);\n      ${tell}`,
      ),
      triggerFunction(
        'log_change',
        `insert into node_changes (subject)
        values (tg_argv[0] || ' ' || (to_jsonb(new) ->> tg_argv[1]));
      ${tell}`,
      ),
      ...rowsLogged({ table: 'sessions', change: 'delete', subject: "'session ' || id" }),
      ...rowsLogged({
        table: 'forward_sessions',
        change: 'delete',
        subject: "'session ' || session_id",
      }),
      ...rowsLogged({ table: 'role_assignments', change: 'delete', subject: "'user ' || account" }),
      // An import inserts many roles, of accounts without sessions.
      ...rowsLogged({
        table: 'role_assignments',
        change: 'insert',
        subject: "'user ' || account",
        where: 'exists (select from sessions where user_id = account)',
      }),
      updatesLogged('sessions', 'session id', ['amr', 'auth_time', 'csrf_token']),
      updatesLogged('accounts', 'user user_id', [
        ...['username', 'verified_email', 'locked', 'locked_until', 'active', 'second_factor'],
      ]),
      updatesLogged('passwords', 'user account', ['must_change']),
      // Raised by each change of roles.
      updatesLogged('token_versions', 'user user_id', ['access_version']),
      `create trigger identities_told after insert or update or delete on identities
      for each statement execute function tell_nodes()`,
    ],
  },
]
