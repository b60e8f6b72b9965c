import { withFormat } from '../../shared/endpoint/description/format-schemas';
import type { Schema } from '../../shared/endpoint/description/schema';
import { NamedSchema } from '../../shared/endpoint/description/schema';

/** A value of the document. */
export type Json = string | number | boolean | null | readonly Json[] | { readonly [member: string]: Json };

/** The schemas that have a name. A description uses them as values; the document refers to them. */
export class Components {
  private readonly used = new Map<string, { readonly named: NamedSchema; readonly resolved: Json }>();
  private readonly bySource: ReadonlyMap<object, NamedSchema>;

  /** @param bodies describe schemas that the code validates with */
  constructor(bodies: readonly NamedSchema[]) {
    this.bySource = new Map(bodies.flatMap((named) => (named.source ? [[named.source, named]] : [])));
  }

  /** The value, with a reference in place of each named schema, and of each schema that one of them describes. */
  resolve(value: unknown): Json {
    if (value instanceof NamedSchema) return { $ref: this.refTo(value) };
    if (Array.isArray(value)) return value.map((element) => this.resolve(element));
    if (typeof value !== 'object' || value === null) return value as Json;
    const described = this.bySource.get(value);
    if (described) return this.resolve(described);
    const members = Object.entries(value).filter(([, member]) => member !== undefined);
    return Object.fromEntries(
      members.map(([name, member]) => [
        name,
        name === '$ref' && member instanceof NamedSchema ? this.refTo(member) : this.resolve(member),
      ]),
    );
  }

  /** Those that were used, by their names. */
  schemas(): Json {
    const sorted = [...this.used].sort(([a], [b]) => (a < b ? -1 : 1));
    return Object.fromEntries(sorted.map(([name, { resolved }]) => [name, resolved]));
  }

  private refTo(named: NamedSchema): string {
    const { name, schema } = named;
    const used = this.used.get(name);
    if (used && used.named !== named) throw new Error(`Two schemas are named ${name}.`);
    if (!used) {
      this.used.set(name, { named, resolved: null });
      this.used.set(name, { named, resolved: this.resolve(withFormats(schema)) });
    }
    return `#/components/schemas/${name}`;
  }
}

/** With what JSON Schema can say of the formats of its fields. */
function withFormats(schema: Schema): Schema {
  const fields = Object.entries((schema.properties ?? {}) as Readonly<Record<string, Schema>>);
  if (fields.length === 0) return schema;
  return { ...schema, properties: Object.fromEntries(fields.map(([name, field]) => [name, withFormat(field)])) };
}
