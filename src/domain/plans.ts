/** What a plan allows. The numbers below are from the contract. */
export interface Plan {
  readonly requestsPerMinute: number;
  readonly requestsPerDay: number;
  /** Whether POST /transcribe is included. */
  readonly transcription: boolean;
  /** In any seven days; null means no limit. */
  readonly wordsPerWeek: number | null;
  /** For POST /transcribe, per user and UTC calendar month. */
  readonly audioMinutesPerMonth: number;
  /** Of each recording, and of all recordings per user and UTC calendar month; null means no limit. */
  readonly recordingMaxBytes: number;
  readonly recordingMaxMinutes: number;
  readonly recordingMinutesPerMonth: number | null;
  /** Of the audio of all their recordings, arrived or announced; null means no limit. */
  readonly storageBytes: number | null;
  /** Uploads that one person may have open at once. */
  readonly openUploads: number;
  /** How many earlier texts of a note are kept, and for how many days. */
  readonly revisionsPerNote: number;
  readonly revisionDays: number;
  /** Tokens of language models, sent and received, per user and UTC calendar month; null means no limit. */
  readonly llmTokensPerMonth: number | null;
}

/** From the lowest to the highest. */
export const planNames = ['free', 'pro', 'business'] as const;
export type PlanName = (typeof planNames)[number];
export type Plans = Readonly<Record<PlanName, Plan>>;

/** Of two plans the lower one. */
export const lowerPlan = (one: PlanName, other: PlanName): PlanName =>
  planNames.indexOf(one) < planNames.indexOf(other) ? one : other;

const audioMinutesPerMonth = 600;
const recordings = {
  recordingMaxBytes: 2_000_000_000,
  recordingMaxMinutes: 600,
  recordingMinutesPerMonth: null,
  openUploads: 20,
};

const pro: Plan = {
  requestsPerMinute: 120,
  requestsPerDay: 10_000,
  transcription: true,
  wordsPerWeek: null,
  audioMinutesPerMonth,
  ...recordings,
  storageBytes: 50_000_000_000,
  revisionsPerNote: 100,
  revisionDays: 180,
  llmTokensPerMonth: null,
};

export const defaultPlans: Plans = {
  free: {
    requestsPerMinute: 30,
    requestsPerDay: 1_000,
    transcription: false,
    wordsPerWeek: 2_000,
    audioMinutesPerMonth,
    ...recordings,
    storageBytes: 2_000_000_000,
    revisionsPerNote: 20,
    revisionDays: 30,
    llmTokensPerMonth: null,
  },
  pro,
  business: {
    ...pro,
    requestsPerMinute: 300,
    requestsPerDay: 50_000,
    storageBytes: 200_000_000_000,
    revisionDays: 365,
  },
};
