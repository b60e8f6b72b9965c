/** A module of Terraform: what each of its names stands for. */
import type { Scope } from './evaluate';
import { elementsOf, evaluate, evaluateBody, lazily, within } from './evaluate';
import type { Functions } from './functions';
import { found, toText } from './functions';
import type { Block, Body, Expression, Value } from './syntax';

export type Values = { readonly [name: string]: Value };

/** What is not in the module's files. */
export interface Surroundings {
  readonly projectId: string;
  readonly projectNumber: string;
  /** The address of a function. */
  readonly uriOf: (name: string) => string;
  readonly functions: Functions;
  readonly readModule: (source: string) => Body;
}

const emailOf = ({ account_id }: Values, { projectId }: Surroundings) =>
  `${toText(account_id)}@${projectId}.iam.gserviceaccount.com`;

/** What a resource has beside what the files say of it, by its type. */
const COMPUTED: Readonly<
  Record<string, Readonly<Record<string, (values: Values, surroundings: Surroundings) => Value>>>
> = {
  google_service_account: {
    email: emailOf,
    member: (values, surroundings) => `serviceAccount:${emailOf(values, surroundings)}`,
    name: (values, surroundings) =>
      `projects/${surroundings.projectId}/serviceAccounts/${emailOf(values, surroundings)}`,
  },
  google_pubsub_topic: {
    id: ({ name }, { projectId }) => `projects/${projectId}/topics/${toText(name)}`,
  },
  google_project_iam_custom_role: {
    id: ({ role_id }, { projectId }) => `projects/${projectId}/roles/${toText(role_id)}`,
  },
  google_artifact_registry_repository: {
    id: ({ repository_id, location }, { projectId }) =>
      `projects/${projectId}/locations/${toText(location)}/repositories/${toText(repository_id)}`,
    name: ({ repository_id }) => toText(repository_id),
  },
  google_cloudfunctions2_function: {
    service_config: ({ name, service_config }, { uriOf }) =>
      (service_config as readonly Values[]).map((config) => ({ ...config, uri: uriOf(toText(name)) })),
  },
};

/** One thing, or several by a key or a position, of a block with `for_each` or `count`. */
interface Instances<T> {
  readonly keys?: readonly (string | number)[];
  readonly all: readonly T[];
}

export class Module {
  private readonly names: ReadonlyMap<string, Value>;
  private readonly scope: Scope;
  private readonly resourcesByType = new Map<string, (() => Instances<Values>)[]>();
  private readonly modules: readonly (() => Instances<Module>)[];

  constructor(
    private readonly body: Body,
    inputs: Values,
    private readonly surroundings: Surroundings,
  ) {
    this.scope = { find: (name) => this.names.get(name), functions: surroundings.functions };
    const byName = new Map<string, [string, () => Value][]>();
    for (const block of this.blocks('resource')) {
      const [type = '', name = ''] = block.labels;
      const instances = once(() => this.instances(block.body, (scope) => this.resource(type, block.body, scope)));
      this.resourcesByType.set(type, [...(this.resourcesByType.get(type) ?? []), instances]);
      byName.set(type, [...(byName.get(type) ?? []), [name, () => toValue(instances(), (values) => values)]]);
    }
    const modules = this.blocks('module').map((block) => ({
      name: nameOf(block),
      instances: once(() => this.instances(block.body, (scope) => this.child(block.body, scope))),
    }));
    this.modules = modules.map(({ instances }) => instances);
    this.names = new Map<string, Value>([
      ['var', lazily(this.blocks('variable').map((block) => [nameOf(block), () => this.variable(block, inputs)]))],
      [
        'local',
        lazily(
          this.blocks('locals')
            .flatMap(({ body: { attributes } }) => [...attributes])
            .map(([name, expression]) => [name, () => this.evaluate(expression)]),
        ),
      ],
      ['data', { google_project: { this: { number: surroundings.projectNumber } } }],
      [
        'module',
        lazily(
          modules.map(({ name, instances }) => [name, () => toValue(instances(), ({ outputs }) => outputs)] as const),
        ),
      ],
      ...[...byName].map(([type, resources]) => [type, lazily(resources)] as const),
      ['output', lazily(this.blocks('output').map((block) => [nameOf(block), () => this.output(block)] as const))],
    ]);
  }

  /** @throws Error when it is asked for what is not understood */
  get locals(): Values {
    return this.names.get('local') as Values;
  }

  /** @throws Error when it is asked for what is not understood */
  get outputs(): Values {
    return this.names.get('output') as Values;
  }

  /** All resources of a type, those of the modules within included. */
  resources(type: string): readonly Values[] {
    const own = (this.resourcesByType.get(type) ?? []).flatMap((instances) => instances().all);
    return [...own, ...this.modules.flatMap((instances) => instances().all).flatMap((module) => module.resources(type))];
  }

  /** The value of an expression within this module. @throws Error when it is not understood */
  evaluate(expression: Expression): Value {
    return evaluate(expression, this.scope);
  }

  private blocks(type: string): readonly Block[] {
    return this.body.blocks.filter((block) => block.type === type);
  }

  private variable({ body, labels: [name = ''] }: Block, inputs: Values): Value {
    const given = inputs[name];
    const standard = body.attributes.get('default');
    if (given !== undefined) return given;
    if (standard === undefined) throw new Error(`The variable ${name} has no value.`);
    return this.evaluate(standard);
  }

  private output({ body }: Block): Value {
    return this.evaluate(found(body.attributes.get('value')));
  }

  private instances<T>({ attributes }: Body, make: (scope: Scope) => T): Instances<T> {
    const [each, count] = [attributes.get('for_each'), attributes.get('count')];
    if (count) {
      const keys = Array.from({ length: Number(this.evaluate(count)) }, (_, index) => index);
      return { keys, all: keys.map((index) => make(within(this.scope, { count: { index } }))) };
    }
    if (!each) return { all: [make(this.scope)] };
    const source = this.evaluate(each);
    const isSet = Array.isArray(source);
    const elements = elementsOf(source).map(([key, value]) => [isSet ? toText(value) : key, value] as const);
    return {
      keys: elements.map(([key]) => key),
      all: elements.map(([key, value]) => make(within(this.scope, { each: { key, value } }))),
    };
  }

  private resource(type: string, body: Body, scope: Scope): Values {
    const values = evaluateBody(body, scope);
    return lazily([
      ...Object.keys(values).map((name) => [name, () => found(values[name])] as const),
      ...Object.entries(COMPUTED[type] ?? {}).map(
        ([name, find]) => [name, () => find(values, this.surroundings)] as const,
      ),
    ]);
  }

  private child(body: Body, scope: Scope): Module {
    const inputs = evaluateBody(body, scope);
    return new Module(this.surroundings.readModule(toText(inputs.source)), inputs, this.surroundings);
  }
}

function nameOf({ labels: [name = ''] }: Block): string {
  return name;
}

/** What a name stands for: a thing, a list of them, or an object by key. */
function toValue<T>({ keys, all }: Instances<T>, valuesOf: (instance: T) => Values): Value {
  const values = all.map(valuesOf);
  if (!keys) return found(values[0]);
  if (keys.every((key) => typeof key === 'number')) return values;
  return Object.fromEntries(keys.map((key, index) => [key, found(values[index])]));
}

function once<T>(find: () => T): () => T {
  let found: { readonly value: T } | undefined;
  return () => (found ??= { value: find() }).value;
}
