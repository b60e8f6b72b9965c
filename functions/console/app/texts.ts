/** Everything that the pages say, in English. Names of fields and messages of the service are its own. */
import type { ConsentsChanges, Run, RunFile } from '../../../client/src/index';
import type { PageName } from '../pages';

export const TEXTS = {
  title: 'Console',
  pages: {
    transfers: 'Transfers',
    runs: 'Runs',
    preview: 'Preview',
    records: 'Records',
    send: 'Send',
    keys: 'Keys',
    tenants: 'Tenants',
  } satisfies Record<PageName, string>,

  frame: {
    skip: 'Skip to the content',
    pages: 'Pages',
    organization: (id: string) => `Organization ${id}`,
    operator: (projectId: string) => `Operator of ${projectId}`,
    colours: 'Colours',
    themes: { system: 'System', light: 'Light', dark: 'Dark' },
    signOut: 'Sign out',
    notAllowed: (permissions: readonly string[]) =>
      `Your key lacks the permission ${permissions.join(' or ')}, which this page needs. Sign in with another key.`,
    notFor: {
      operators: 'Operators send no records: tenants do, with a key of theirs.',
      tenants: 'This page is for the operators of the service.',
    },
    noTenant: 'Choose a tenant above. Everything on this page is about one tenant.',
  },

  signIn: {
    title: 'Sign in to the console',
    key: 'API key',
    hint: 'It is exchanged for a session of 8 hours. The console keeps it nowhere in this browser.',
    signIn: 'Sign in',
    signingIn: 'Signing in …',
    ended:
      'Your session has ended. Sign in with the same key, and the page is as you left it. What was being sent may not be done.',
    severalCookies:
      'This browser has several cookies for the console, of which only one can be its own. Another page under the same domain has set the other one, perhaps to have you work in its session. Delete the cookies of this site in the browser, and begin again.',
    byCommand: 'This console is opened by a command: start npm run console again, and open the address that it prints.',
  },

  tenants: {
    tenant: 'Tenant',
    tenants: 'tenants',
    choose: 'Choose a tenant',
    search: 'Search by id or name',
    none: 'There is no tenant yet. The operator of the service creates them.',
    noMatch: 'No tenant has this in its id or name.',
  },

  problem: {
    invalid: 'Some of what you entered is not valid.',
    aborted: 'Stopped.',
    trace: 'Trace id, to tell the operator of the service:',
    traceId: 'trace id',
    retry: 'Try again',
  },

  copy: { copy: 'Copy', done: 'Copied', label: (what: string) => `Copy the ${what}` },
  dialog: { close: 'Close', typeName: (name: string) => `Type ${name} to confirm` },
  list: { loading: 'Loading …', more: (what: string) => `Show more ${what}` },
  value: { none: 'none', yes: 'Yes', no: 'No' },

  status: {
    running: 'Running',
    succeeded: 'Succeeded',
    partial: 'Partial',
    failed: 'Failed',
    cancelled: 'Cancelled',
    waiting: 'Waiting',
    finished: 'Finished',
    skipped: 'Skipped',
  } satisfies Record<Run['Status'] | RunFile['Status'], string>,

  consents: {
    EmailOptin: 'E-mail',
    SmsOptin: 'SMS',
    WhatsappOptin: 'WhatsApp',
    AppPushOptin: 'App push',
    GdprOptin: 'GDPR',
  } satisfies Record<keyof ConsentsChanges, string>,

  transfers: {
    introduction: 'A transfer reads the files of your Cloud Storage bucket: every day, every hour, or once.',
    kinds: { daily: 'Daily transfer', hourly: 'Hourly transfer', historical: 'Everything once' },
    none: {
      daily: 'There is no daily transfer.',
      hourly: 'There is no hourly transfer.',
      historical: 'Reads all files of a bucket or of some folders once, now.',
    },
    register: { daily: 'Register one', hourly: 'Register one', historical: 'Start one' },
    bucket: 'Bucket',
    folders: 'Folders',
    wholeBucket: 'The whole bucket',
    when: 'Runs',
    schedule: {
      daily: ({ time }: { readonly time: string }) => `Every day at ${time} UTC`,
      hourly: ({ minute }: { readonly minute: string }) => `Every hour at minute ${minute}`,
    },
    nextRun: 'Next run',
    lastRun: 'Last run',
    noRun: 'It has not run yet',
    paused: 'Paused',
    unknown: 'Unknown',
    changedByHand: 'The job of this transfer was changed by hand. Register it again to mend it.',
    runNow: 'Run now',
    starting: 'Starting …',
    change: 'Change',
    test: 'Test access',
    testing: 'Testing …',
    runs: 'Its runs',
    unregister: 'Unregister',
    unregisterTitle: (kind: string) => `Unregister: ${kind}`,
    unregisterWhat:
      'Its schedule is removed with its settings. A run that has started goes on, and what was stored stays.',
    grant: (serviceAccount: string) =>
      `The service reads buckets as ${serviceAccount}. Register the transfer first; only then grant this account the role Storage Object Viewer (roles/storage.objectViewer) on the bucket.`,
  },

  registration: {
    register: {
      daily: 'Register a daily transfer',
      hourly: 'Register an hourly transfer',
      historical: 'Read everything once',
    },
    change: {
      daily: 'Change the daily transfer',
      hourly: 'Change the hourly transfer',
      historical: 'Read everything once',
    },
    what: {
      daily: 'It reads new files every day. Saving it again is safe.',
      hourly: 'It reads new files every hour. Saving it again is safe.',
      historical: 'The run starts at once and stores what it reads. Make a preview first to see what it would change.',
    },
    bucket: 'Bucket',
    bucketHint: 'Its name, without gs://. It then belongs to your organization.',
    folders: 'Folders',
    foldersHint: 'One a line, such as exports/shop/. Empty: the whole bucket.',
    time: 'Time in UTC',
    minute: 'Minute of each hour',
    save: { daily: 'Save', hourly: 'Save', historical: 'Start' },
    saving: 'Saving …',
    cancel: 'Cancel',
  },

  access: {
    results: {
      ok: (bucket: string) => `The service can read the bucket ${bucket}.`,
      denied: (bucket: string) => `The service may not read the bucket ${bucket}. A role is missing.`,
      notFound: (bucket: string) => `There is no bucket ${bucket}. Check its name.`,
      unknown: (bucket: string) =>
        `Cloud Storage did not say in time whether the bucket ${bucket} can be read. Test again.`,
    },
    grant: (role: string, serviceAccount: string) =>
      `Grant ${serviceAccount} the role ${role} on the bucket, for example by the command below. It takes up to some minutes to be in effect; then test again.`,
    command: 'command',
    run: 'See its run',
    ignored: (fields: readonly string[]) => `Ignored: ${fields.join(', ')}.`,
  },

  runs: {
    what: 'runs',
    table: 'Table of runs',
    status: 'Status',
    anyStatus: 'Any',
    refresh: 'Refresh',
    ofJob: 'Runs of the job',
    allJobs: 'Show those of all jobs',
    none: 'There is no run yet. Register a transfer, or run one now.',
    noneOfFilter: 'No run has this status.',
    awaited: 'This job has not run yet. Its run is shown here as soon as it starts.',
    toTransfers: 'To the transfers',
    started: 'Started',
    kind: 'By',
    bucket: 'Bucket',
    rows: 'Rows',
    badRows: 'Bad rows',
    failedFiles: 'Failed files',
    took: 'Took',
  },

  run: {
    title: 'Run',
    isPreview: 'A preview: nothing is stored.',
    notNotified: (why: string) => `Your topic could not be notified of the end: ${why}`,
    kinds: {
      historical: 'Registration, once',
      daily: 'Daily schedule',
      hourly: 'Hourly schedule',
      replay: 'Replay of bad rows',
      preview: 'Preview',
      manual: 'Run now',
      unknown: 'Unknown',
    } satisfies Record<NonNullable<Run['Kind']> | 'unknown', string>,
    kind: 'Started by',
    replayOf: 'Replays',
    bucket: 'Bucket',
    folders: 'Folders',
    started: 'Started',
    finished: 'Finished',
    took: 'Took',
    job: 'Job',
    id: 'Id',
  },

  progress: {
    title: 'Progress',
    done: 'Done',
    files: 'Files read',
    ofFiles: (finished: string, all: string) => `${finished} of ${all}`,
    rows: 'Rows read',
    rowsPerSecond: 'Rows a second',
    left: 'Time left',
    unknown: '…',
  },

  counts: {
    title: 'Counts',
    uncounted: 'The rows and files of this run are too many to be counted at once.',
    read: 'Rows read',
    stored: 'Stored',
    deleted: 'Deleted',
    stale: 'Stale',
    invalid: 'Bad rows',
    found: 'Files found',
    finished: 'Finished',
    skipped: 'Skipped',
    failed: 'Failed',
  },

  changes: {
    changed: 'What has changed',
    wouldChange: 'What would change',
    none: 'What this run has changed was not counted.',
    noPreview: 'What a preview would change is kept for 24 hours. Make another preview.',
    consents: 'Consents of customers',
    consent: 'Consent',
    granted: 'Granted',
    withdrawn: 'Withdrawn',
    keptWithdrawn: 'Kept withdrawn',
    erased: 'Erased',
    records: 'Records',
    customers: 'Customers',
    products: 'Products',
    orders: 'Orders',
    created: 'Created',
    updated: 'Updated',
    unchanged: 'Unchanged',
    deleted: 'Deleted',
  },

  examples: {
    title: 'Examples, consents first',
    none: 'No record would change.',
    line: (line: number) => `line ${line}`,
    fieldsOf: (name: string, file: string) => `Fields of ${name} in ${file}`,
    field: 'Field',
    from: 'Now',
    to: 'Then',
    omitted: (fields: readonly string[]) => `Too long to be shown: ${fields.join(', ')}.`,
  },

  warnings: {
    title: 'Warnings',
    count: (count: string) => `(${count})`,
    ignored: 'Fields that the service does not know, and did not store:',
  },

  files: {
    title: 'Files',
    what: 'files',
    table: 'Table of files',
    status: 'Status of files',
    anyStatus: 'Any',
    none: 'There is no such file.',
    name: 'File',
    kind: 'Holds',
    size: 'Size',
    rows: 'Rows',
    stored: 'Stored',
    badRows: 'Bad rows',
    why: 'Why',
  },

  badRows: {
    title: (count: string | undefined) => (count === undefined ? 'Bad rows' : `Bad rows (${count})`),
    what: 'bad rows',
    table: 'Table of bad rows',
    file: 'File',
    line: 'Line',
    field: 'Field',
    message: 'What is wrong',
    wholeRow: 'The whole row',
    omitted: (count: string) => `${count} more messages`,
    filter: 'Filter',
    download: (format: string) => `Download ${format}`,
    stop: (size: string) => `Stop (${size})`,
    none: 'No row is bad.',
    noneOfFile: 'No bad row is of a file with this name. Clear the field to see all.',
  },

  actions: {
    starting: 'Starting …',
    cancel: 'Cancel the run',
    cancelTitle: 'Cancel the run?',
    cancelWhat: 'It ends soon. What it has stored stays stored.',
    replay: 'Replay the bad rows',
    replayWhat: 'Mend the files in the bucket first: their bad rows are read again.',
    runIt: 'Run it',
    runItTitle: 'Run what was previewed',
    runItWhat: (rows: string) =>
      `The files are read again as they are now, and their rows are stored: ${rows} in the preview. That cannot be undone.`,
    previewAgain: 'Preview again',
  },

  preview: {
    introduction:
      'A preview reads the files as a transfer does, and stores nothing. It says what would change, consents first.',
    bucketHint: 'A bucket that a transfer of yours reads, or any other. It then belongs to your organization.',
    rows: 'Rows of each file',
    rowsHint: 'Only the first ones are read. Empty: all.',
    start: 'Preview',
    starting: 'Starting …',
  },

  records: {
    introduction: 'Find a record by what identifies it. You see what is stored, without what was deleted.',
    by: 'Find',
    searches: {
      email: 'Customer by e-mail',
      customer: 'Customer by id',
      product: 'Product by id',
      order: 'Order by id',
    },
    find: 'Find',
    none: 'Nothing is stored under this. Check the spelling, and whether the record was deleted.',
    hasMore: 'More customers match than are shown.',
    asOf: 'True since',
    updatedAt: 'Last written',
    consents: 'Consents',
    neverSaid: '(never said)',
    fieldsOf: (name: string) => `Fields of ${name}`,
    field: 'Field',
    value: 'Value',
    noParts: (field: string) => `${field}: none.`,
    customer: (id: string) => `Customer ${id}`,
    product: (id: string) => `Product ${id}`,
    order: (id: string) => `Order ${id}`,
  },

  send: {
    introduction:
      'Paste records, or drop a file: JSON, one JSON object a line, or CSV with a header row. They are checked first, and nothing is stored by that.',
    kind: 'What the records are',
    kinds: { customers: 'Customers', products: 'Products', orders: 'Orders' },
    records: 'Records',
    recordsHint: 'A row with DeletedAt deletes its record, as in files.',
    chooseFile: 'Choose a file',
    removeFile: 'Remove the file',
    check: 'Check',
    checking: 'Checking …',
    send: (rows: string) => `Send ${rows} good rows`,
    sending: 'Sending …',
    stop: 'Stop',
    progress: (rows: string, rejected: string) => `${rows} rows so far, ${rejected} rejected.`,
    checkedTitle: 'Checked',
    sentTitle: 'Sent',
    checkedResult: (stored: string, deleted: string, rejected: string) =>
      `${stored} rows would be stored, ${deleted} would delete, ${rejected} would be rejected. Nothing is stored yet.`,
    sentResult: (stored: string, deleted: string, rejected: string) =>
      `${stored} rows are stored, ${deleted} have deleted, ${rejected} were rejected.`,
    ignored: (fields: readonly string[]) =>
      `Fields that the service does not know are not stored: ${fields.join(', ')}.`,
    updatedAt: 'UpdatedAt is not sent: what is sent here counts as written now.',
    unread: (why: string) => `The rest could not be read. ${why}`,
    badRows: 'rejected rows',
    moreRejected: (shown: string) => `The first ${shown} of the rejected rows are shown.`,
    goToLine: (line: number) => `Go to line ${line}`,
  },

  keys: {
    introduction:
      'A key opens the API to a program, for all tenants of its organization. Here is what each key may do; the key itself is shown once, when it is generated.',
    needsSettings: 'To generate, rotate and revoke keys, sign in with a key that has the permission settings.',
    what: 'keys',
    table: 'Table of keys',
    organization: 'Organization',
    show: 'Show',
    all: 'Show all keys',
    none: 'There is no key yet. Generate one, and give it to a program.',
    noneOf: (organization: string) => `The organization ${organization} has no keys. Check its name, or generate one.`,
    name: 'Name',
    noName: 'No name',
    own: 'You are signed in with it',
    permissions: 'Permissions',
    limit: 'Requests a minute',
    requests: 'Requests today',
    requestsSince: (time: string) => `Requests since ${time}. Those of the last half minute may be missing.`,
    requestsInPart: (tenants: string) =>
      `The organization has much to count: ${tenants} of its tenants were looked at, so that keys may have more requests than are shown.`,
    atLeast: (count: string) => `≥ ${count}`,
    lastUsed: 'Last used',
    never: 'Never',
    ends: 'Ends',
    noEnd: 'Never',
    state: 'State',
    actions: 'Change',
    marks: {
      valid: 'Valid',
      unused: 'Unused for 30 days',
      endsSoon: 'Ends soon',
      ended: 'Ended',
      revoked: 'Revoked',
    },
    generate: 'Generate a key',
    rotate: 'Rotate',
    revoke: 'Revoke',
    labelOf: (action: string, key: string) => `${action} ${key}`,
  },

  newKey: {
    title: 'Generate a key',
    organizationHint: 'Its whole name.',
    name: 'Name',
    nameHint: 'What the key is for, such as Shop feed.',
    meanings: {
      customers: 'send and delete customers',
      products: 'send and delete products',
      orders: 'send and delete orders',
      transfers: 'register, run and watch transfers',
      records: 'read back what is stored, and the usage',
      settings: 'look after keys and settings',
    },
    permissionsHint: 'Give what the program needs, and nothing else.',
    limit: 'Requests a minute',
    limitHint: (usual: string, most: string | undefined) =>
      most === undefined ? `Empty: ${usual}.` : `At most ${most}, as your own key. Empty: ${usual}.`,
    expires: 'End',
    expiresHint: (zone: string, isOperator: boolean) =>
      `By your clock (${zone}). Empty: ${isOperator ? 'none' : 'that of your own key, if it has one'}.`,
    mayBeLost: 'If no answer arrives, there may be a key that nobody has: find it in the list, and revoke it.',
    generate: 'Generate',
    generating: 'Generating …',
    cancel: 'Cancel',
    shownTitle: (name: string) => `The new key ${name}`,
    shownWhat: 'Copy it now, to where its program keeps secrets. It cannot be shown again.',
    key: 'key',
    former: 'The former key ends by itself:',
    done: 'I have copied it',
  },

  rotation: {
    title: (name: string) => `Rotate ${name}`,
    what: 'A new key gets the same name, permissions and limit. Both work until the moment that you choose; then the former one ends by itself.',
    own: 'You are signed in with this key. Your session ends with it at that moment; sign in with the new one before.',
    until: 'Both work until',
    untilHint: (zone: string) => `By your clock (${zone}), within the next 90 days.`,
    expires: 'End of the new key',
    rotate: 'Rotate',
    rotating: 'Rotating …',
  },

  revocation: {
    title: (name: string) => `Revoke ${name}?`,
    what: 'Requests with it are refused from now on. That cannot be undone.',
    own: 'You are signed in with this key: your session ends, and you need another key to sign in.',
    revoke: 'Revoke',
  },

  tenantList: {
    introduction: {
      tenants: 'The tenants of your organization. Their settings say how records are matched and what must be sent.',
      operators: 'All tenants. Open one for its settings, to suspend or to erase it.',
    },
    search: 'Search',
    searchHint: {
      tenants: 'A part of a name or id.',
      operators: 'The beginning of a name or id, or the whole name of an organization.',
    },
    find: 'Find',
    noMatch: 'No tenant matches.',
    first: (count: number) => `The first ${count} are shown. Search for a longer text.`,
    unnamed: '(no name)',
    name: 'Name',
    id: 'Id',
    organization: 'Organization',
    state: 'State',
    states: { active: 'Active', suspended: 'Suspended', beingErased: 'Being erased' },
  },

  createTenants: {
    title: 'Create tenants',
    organization: 'Organization',
    name: 'Display name',
    nameHint: 'Its id follows from organization and name, so that creating it again changes nothing.',
    create: 'Create',
    creating: 'Creating …',
    manyTitle: 'From a file',
    many: 'CSV with a header row, or one JSON object a line, with the columns organizationId, tenantId or displayName, and those of the settings. Every line gets an answer. The same file can be read again: what is there stays as it is.',
    chooseFile: 'Choose a file of tenants',
    createMany: 'Create those of the file',
    result: (created: string, present: string, refused: string) =>
      `${created} created, ${present} were there already, ${refused} refused.`,
    mend: 'Mend the lines that were refused, and read the file again.',
    answers: 'Answers to the lines',
    line: 'Line',
    outcome: 'Outcome',
    outcomes: { created: 'Created', present: 'Was there', refused: 'Refused' },
    tenant: 'Tenant',
    reason: 'Reason',
  },

  tenantPage: {
    title: 'Tenant',
    name: 'Name',
    id: 'Id',
    organization: 'Organization',
    suspended: 'The tenant is suspended: its requests are refused, and its transfers rest. Since',
  },

  settings: {
    title: 'Settings',
    needsPermission: 'Settings are changed with a key that has the permission settings.',
    labels: {
      customerIdentifier: 'Customers are matched by',
      productIdentifier: 'Products are identified by',
      orderCustomer: 'Orders name their customer by',
      defaultLanguage: 'Default language',
      requiredFields: 'Required customer fields',
      displayName: 'Display name',
      notifyTopic: 'Topic for the ends of runs',
    },
    customerBy: { email: 'E-mail first', customerid: 'Customer id first' },
    productBy: { productid: 'Product id', sku: 'Sku of their variants' },
    hints: {
      customerIdentifier: 'Which identifier finds the stored customer when one is sent.',
      productIdentifier: 'What finds the stored product when one is sent.',
      orderCustomer: 'Where an order lacks this one, the other is taken.',
      defaultLanguage: 'Such as en or pt-BR. Blank: none.',
      requiredFields: 'A customer who is sent without one of them is rejected.',
      displayName: 'What operators call it, for searches. Blank: none.',
      notifyTopic: 'projects/PROJECT/topics/TOPIC. Blank: none.',
    },
    review: 'Review the changes',
    undo: 'Undo them',
    reviewTitle: 'What changes',
    save: 'Save',
    saveAndRekey: 'Save and re-key',
    meanings: {
      customerIdentifier: {
        email:
          'Customers are matched by their e-mail. One that is sent without an e-mail finds only customers who have none either, by the customer id.',
        customerid:
          'Customers are matched by their customer id. One that is sent without it finds only customers who have none either, by the e-mail.',
      },
      productIdentifier: {
        productid: 'Products are identified by their product id. Their Skus find nothing any more.',
        sku: 'Products are identified by the Skus of their variants: one that is sent finds the stored product that holds one of its Skus, whatever its product id is.',
      },
      orderCustomer: {
        email: 'Orders name their customer by the e-mail, and where they have none by the customer id.',
        customerid: 'Orders name their customer by the customer id, and where they have none by the e-mail.',
      },
      defaultLanguage: (tag: string | null) =>
        tag === null
          ? 'Customers who are created without a language have none. Stored customers keep theirs.'
          : `Customers who are created without a language get ${tag}. Stored customers keep theirs.`,
      required: (fields: readonly string[]) =>
        `From now on a customer who is sent without ${fields.join(', ')} is rejected, in requests and in files. Stored customers stay as they are.`,
      notRequired: (fields: readonly string[]) => `${fields.join(', ')} may be left out from now on.`,
      displayName: (name: string | null) =>
        name === null
          ? 'It has no display name any more.'
          : `Operators find it by the name ${name}. Nothing else changes.`,
      notifyTopic: (topic: string | null) =>
        topic === null
          ? 'No topic is told when a run ends.'
          : `${topic} is told when a run ends. The service account of transfers needs the role Pub/Sub Publisher there.`,
    },
    rekeying: {
      title: 'Stored records are re-keyed',
      size: (customers: string, products: string, orders: string) =>
        `${customers} customers, ${products} products and ${orders} orders are looked at, one after the other.`,
      takes: (minutes: string) => `That takes about ${minutes} min, while this page is open.`,
      customers: {
        email:
          'Customers move to the key of their e-mail. Two with the same one become one: the younger wins field by field, but a consent is given only if both had it. That cannot be undone. Customers without an e-mail stay apart, under their customer id.',
        customerid:
          'Customers move to the key of their customer id. Two with the same one become one: the younger wins field by field, but a consent is given only if both had it. That cannot be undone. Customers without a customer id stay apart, under their e-mail.',
      },
      products: {
        productid: 'The index of products by their Skus is removed. Variants of a product with the same id become one.',
        sku: 'Products get an index by their Skus. Products that share a Sku stay two; the next one that is sent goes to the first of them. Products without a Sku stay under their product id.',
      },
      orders: {
        email: 'Orders that have both name their customer by the e-mail. Others stay as they are.',
        customerid: 'Orders that have both name their customer by the customer id. Others stay as they are.',
      },
      until: 'Until that is done, stored records keep their old key: what is sent meanwhile does not find them.',
      again: 'A quarter of an hour after the change it is done once more, for what was under way. This page says when.',
    },
  },

  rekey: {
    title: 'Re-keying',
    complete: 'All stored records are keyed by the identifiers below.',
    states: {
      due: 'An identifier was changed, and the stored records have to be re-keyed. Until then what is sent does not find all of them.',
      unfinished: 'Re-keying is not finished. What is sent does not find all stored records yet.',
      waiting:
        'All records were looked at. Requests and files that were under way may still store some by the old identifiers, so it has to be done once more after',
    },
    go: { due: 'Re-key', unfinished: 'Go on', waiting: 'Look again' },
    going: 'Re-keying …',
    stop: 'Stop',
    keepOpen: 'It goes on while this page is open. Whoever closes it can go on later, from where it was.',
    progress: 'Progress of re-keying',
    records: 'Records',
    lookedAt: 'Looked at',
    moved: 'Moved',
    merged: 'Merged',
    consentsWithdrawn: 'Consents withdrawn by merging',
  },

  suspend: {
    title: 'Suspension',
    what: 'Requests of a suspended tenant are refused with a message of their own, and its transfers rest. Deletions that were accepted are applied. It can be resumed at any time.',
    isSuspended: 'Its requests are refused, and its transfers rest. Resuming goes on with its runs.',
    suspend: 'Suspend',
    suspendTitle: (name: string) => `Suspend ${name}`,
    resume: 'Resume',
    resuming: 'Resuming …',
  },

  erase: {
    title: 'Erase',
    underWayTitle: 'It is being erased',
    what: 'Removes everything that is stored of the tenant, for good. See first what that is.',
    show: 'Show what would be removed',
    since: 'Since',
    goesOn:
      'Its requests find no tenant any more. What was under way may still write for a while: go on with the rest after',
    reportObjects: 'Objects of reports',
    jobs: 'Jobs of transfers',
    buckets: 'Buckets released',
    bucketsKept: 'Buckets kept',
    none: 'none',
    erase: 'Erase for good',
    goOn: 'Go on with erasing',
    erasing: (removed: string) => `Erasing … ${removed} removed so far. It goes on while this page is open.`,
    confirmTitle: (name: string) => `Erase ${name}`,
    confirm:
      'Requests of the tenant find none at once. All of its records, runs and settings are removed. There is no way back. It takes a quarter of an hour or more, and can be gone on with later.',
    done: (removed: string) => `Nothing is stored of the tenant any more. ${removed} were removed here.`,
  },
} as const;
