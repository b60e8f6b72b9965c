/** The messages of Firestore's protocol that the service uses, in the form of the SDK's protocol client. */

export interface ProtoTimestamp {
  readonly seconds?: number | string | null;
  readonly nanos?: number | null;
}

export interface ProtoValue {
  readonly nullValue?: 'NULL_VALUE' | null;
  readonly booleanValue?: boolean | null;
  readonly integerValue?: number | string | null;
  readonly doubleValue?: number | null;
  readonly timestampValue?: ProtoTimestamp | null;
  readonly stringValue?: string | null;
  readonly referenceValue?: string | null;
  readonly arrayValue?: { readonly values?: ProtoValue[] | null } | null;
  readonly mapValue?: { readonly fields?: ProtoFields | null } | null;
}

export type ProtoFields = Record<string, ProtoValue>;

export interface ProtoDocument {
  readonly name?: string | null;
  readonly fields?: ProtoFields | null;
  readonly createTime?: ProtoTimestamp | null;
  readonly updateTime?: ProtoTimestamp | null;
}

export interface ProtoPrecondition {
  readonly exists?: boolean;
  readonly updateTime?: ProtoTimestamp;
}

/** The parts of a structured query that the service uses. */
export interface ProtoQuery {
  readonly select?: { readonly fields: { readonly fieldPath: string }[] };
  readonly from: { readonly collectionId?: string; readonly allDescendants?: boolean }[];
  readonly where?: {
    readonly fieldFilter: {
      readonly field: { readonly fieldPath: string };
      readonly op: 'EQUAL' | 'IN';
      readonly value: ProtoValue;
    };
  };
  readonly orderBy: {
    readonly field: { readonly fieldPath: string };
    readonly direction: 'ASCENDING' | 'DESCENDING';
  }[];
  readonly startAt?: { readonly values: ProtoValue[]; readonly before: boolean };
  readonly endAt?: { readonly values: ProtoValue[]; readonly before: boolean };
  readonly limit?: { readonly value: number };
}
