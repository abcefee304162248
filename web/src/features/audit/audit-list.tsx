import { formatDateTime, withTimes } from '../../lib/format.ts';
import { operatorStrings } from '../../strings/operator.ts';
import { SelectField } from '../../ui/field.tsx';
import { LoadedList } from '../../ui/loaded.tsx';
import { Row } from '../../ui/page.tsx';
import { EmptyState } from '../../ui/states.tsx';
import styles from './audit-list.module.css';

const texts = operatorStrings.audit;

interface Event {
  id: string;
  created_at: string;
  act: string;
  actor_id: string | null;
  actor_name: string | null;
  via: string | null;
  subject_id: string | null;
  subject_name: string | null;
  detail: string | null;
  address: string | null;
  times: number;
}

interface Props {
  source: {
    data: Event[] | undefined;
    isPending: boolean;
    error: unknown;
    hasNextPage: boolean;
    isFetchingNextPage: boolean;
    fetchNextPage(): unknown;
    refetch(): unknown;
  };
  act: string;
  onAct(act: string): void;
  /** Where the file comes from. */
  csv: string;
}

/** Who did what, of the server or of a workspace. */
export function AuditList({ source, act, onAct, csv }: Props) {
  return (
    <div className={styles.part}>
      <div className={styles.bar}>
        <SelectField
          label={texts.kind}
          value={act}
          options={{ '': texts.every, ...texts.acts }}
          onChoose={onAct}
        />
        <a className="button button-plain" href={csv} download>
          {texts.download}
        </a>
      </div>
      <LoadedList
        from={source}
        lines={8}
        label={texts.list}
        empty={<EmptyState icon="history" {...texts.none} />}
      >
        {(event) => (
          <Row key={event.id} detail={whereAndWhen(event)}>
            {texts.acts[event.act] ?? event.act}
            {whatOf(event)}
          </Row>
        )}
      </LoadedList>
    </div>
  );
}

const isRefused = ({ act }: Event) => act.endsWith('.refused');

function whatOf({ subject_name, detail }: Event): string {
  const what = [subject_name, detail].filter(Boolean).join(', ');
  return what === '' ? '' : `: ${withTimes(what)}`;
}

function whereAndWhen(event: Event): string {
  const { actor_name, actor_id, via, address, times, created_at } = event;
  const unnamed = via === 'command line' ? texts.commandLine : texts.somebody;
  return [
    formatDateTime(created_at),
    isRefused(event) ? texts.times(times) : (actor_name ?? actor_id ?? unnamed),
    via !== null && via !== 'session' && via !== 'command line' ? via : null,
    address ?? (isRefused(event) ? texts.otherAddresses : null),
  ]
    .filter(Boolean)
    .join(' · ');
}
