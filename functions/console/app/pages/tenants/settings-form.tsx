import { useState } from 'preact/hooks';
import { CUSTOMER_IDENTIFIERS, PRODUCT_IDENTIFIERS, REQUIRABLE_FIELDS } from '../../../../../shared/domain/tenant';
import { messagesOf } from '../../api/failure';
import { ChecksField } from '../../parts/checks-field';
import { ChoiceField, TextField } from '../../parts/field';
import { Notice } from '../../parts/notice';
import { useConsole } from '../../state/console-context';
import { TEXTS } from '../../texts';
import { ReviewChanges } from './review-changes';
import { changesOf, needsRekeying } from './settings';
import type { Settings, TenantAnswer } from './tenant';

interface Props {
  readonly tenant: TenantAnswer;
  readonly mayChange: boolean;
  /** @param isRekeyed stored records have to be re-keyed since */
  readonly onSaved: (isRekeyed: boolean) => void;
}

/** The settings of a tenant. What a change means is said before it is saved. */
export function SettingsForm({ tenant, mayChange, onSaved }: Props) {
  const { session } = useConsole();
  const [form, setForm] = useState<Settings>(tenant);
  const [isReviewing, setIsReviewing] = useState(false);
  const [failure, setFailure] = useState<Parameters<typeof messagesOf>[0]>();
  const set = (part: Partial<Settings>) => setForm((before) => ({ ...before, ...part }));
  const changes = changesOf(tenant, form);
  const isChanged = Object.keys(changes).length > 0;
  const texts = TEXTS.settings;
  const byIdentifier = CUSTOMER_IDENTIFIERS.map((value) => ({ value, text: texts.customerBy[value] }));
  return (
    <section class="card" aria-labelledby="settings">
      <h2 id="settings">{texts.title}</h2>
      {!mayChange && <Notice kind="plain">{texts.needsPermission}</Notice>}
      <form
        onSubmit={(event) => {
          event.preventDefault();
          setIsReviewing(isChanged);
        }}
      >
        <fieldset disabled={!mayChange}>
          <ChoiceField
            label={texts.labels.customerIdentifier}
            value={form.customerIdentifier}
            onChange={(customerIdentifier) => set({ customerIdentifier })}
            choices={byIdentifier}
            hint={texts.hints.customerIdentifier}
          />
          <ChoiceField
            label={texts.labels.productIdentifier}
            value={form.productIdentifier}
            onChange={(productIdentifier) => set({ productIdentifier })}
            choices={PRODUCT_IDENTIFIERS.map((value) => ({ value, text: texts.productBy[value] }))}
            hint={texts.hints.productIdentifier}
          />
          <ChoiceField
            label={texts.labels.orderCustomer}
            value={form.orderCustomer}
            onChange={(orderCustomer) => set({ orderCustomer })}
            choices={byIdentifier}
            hint={texts.hints.orderCustomer}
          />
          <TextField
            label={texts.labels.defaultLanguage}
            value={form.defaultLanguage ?? ''}
            onChange={(text) => set({ defaultLanguage: text.trim() === '' ? null : text })}
            hint={texts.hints.defaultLanguage}
            errors={messagesOf(failure, 'defaultLanguage')}
            isCode
          />
          <ChecksField
            label={texts.labels.requiredFields}
            values={form.requiredFields}
            onChange={(requiredFields) => set({ requiredFields })}
            choices={REQUIRABLE_FIELDS}
            hint={texts.hints.requiredFields}
          />
          {session.operator && (
            <>
              <TextField
                label={texts.labels.displayName}
                value={form.displayName ?? ''}
                onChange={(text) => set({ displayName: text.trim() === '' ? null : text })}
                hint={texts.hints.displayName}
                errors={messagesOf(failure, 'displayName')}
              />
              <TextField
                label={texts.labels.notifyTopic}
                value={form.notifyTopic ?? ''}
                onChange={(text) => set({ notifyTopic: text.trim() === '' ? null : text })}
                hint={texts.hints.notifyTopic}
                errors={messagesOf(failure, 'notifyTopic')}
                isCode
              />
            </>
          )}
        </fieldset>
        {mayChange && (
          <div class="actions">
            <button type="submit" class="main" disabled={!isChanged}>
              {texts.review}
            </button>
            {isChanged && (
              <button type="button" onClick={() => setForm(tenant)}>
                {texts.undo}
              </button>
            )}
          </div>
        )}
      </form>
      {isReviewing && (
        <ReviewChanges
          tenant={tenant}
          changes={changes}
          onFailed={setFailure}
          onSaved={() => onSaved(needsRekeying(changes))}
          onClose={() => setIsReviewing(false)}
        />
      )}
    </section>
  );
}
