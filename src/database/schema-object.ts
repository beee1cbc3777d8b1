/** The objects of a schema: their definitions by kind and name, such as `index users_by_email`. */
export type SchemaObjects = ReadonlyMap<string, SchemaObject>

export interface SchemaObject {
  /** As the database tells it, without what differs between installations. */
  readonly definition: string
  /** The table that it belongs to; empty for a function. */
  readonly table: string
}
