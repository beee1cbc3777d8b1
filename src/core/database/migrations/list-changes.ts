/**
 * Record in `list_changes` which rows enter and leave paginated lists. Append-only, so that
 * transactions do not block each other.
 */
export const listedRows = [
  listed('users', 'id', ['name_key', 'email_key']),
  listed('posts', 'id'),
  listed('accounts', 'user_id'),
  {
    sqlite: [
      `create trigger users_listed_anew after update of name_key, email_key on users
        when old.name_key <> new.name_key or old.email_key <> new.email_key begin
        ${moved()};
      end`,
    ],
    postgres: [
      triggerFunction('list_users_anew', moved()),
      `create trigger users_listed_anew after update of name_key, email_key on users
        for each row when ((old.name_key, old.email_key) is distinct from (new.name_key, new.email_key))
        execute function list_users_anew()`,
    ],
  },
]

/** A changed key moves the row. */
function moved(): string {
  return `insert into list_changes (list, row_id, name_key, email_key, change) values
          ('users keys', old.id, old.name_key, old.email_key, -1),
          ('users keys', new.id, new.name_key, new.email_key, 1)`
}

function listed(table: string, id: string, keys: readonly string[] = []) {
  const columns = ['list', 'row_id', ...keys, 'change'].join(', ')
  const rowOf = (row: string, change: number) =>
    [`'${table}'`, ...[id, ...keys].map((name) => `${row}.${name}`), change].join(', ')
  const ways = [
    { way: 'in', on: 'insert', row: 'new', change: 1 },
    { way: 'out', on: 'delete', row: 'old', change: -1 },
  ]
  return {
    sqlite: ways.map(
      ({
        way,
        on,
        row,
        change,
      }) => `create trigger ${table}_listed_${way} after ${on} on ${table} begin
        insert into list_changes (${columns}) values (${rowOf(row, change)});
      end`,
    ),
    postgres: ways.flatMap(({ way, on, row, change }) => [
      triggerFunction(
        `list_${table}_${way}`,
        `insert into list_changes (${columns}) select ${rowOf('changed', change)} from changed`,
      ),
      `create trigger ${table}_listed_${way} after ${on} on ${table}
        referencing ${row} table as changed for each statement execute function list_${table}_${way}()`,
    ]),
  }
}

function triggerFunction(name: string, statement: string): string {
  return `create function ${name}() returns trigger language plpgsql as $$
    begin
      ${statement};
      return null;
    end $$`
}
