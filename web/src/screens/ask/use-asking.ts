import { useEffect, useRef } from 'react';
import { navigate } from '../../lib/router.tsx';
import { createStore, useStore } from '../../lib/store.ts';
import { askBeforeReload } from '../../lib/unsaved.ts';
import { type Answer, ask, type Question, showAnswered } from '../../resources/conversations.ts';
import { askStrings as texts } from '../../strings/ask.ts';
import { toast } from '../../ui/toast.tsx';

/** A question that is being answered, with the answer so far. */
export interface Current {
  question: string;
  text: string;
}

interface Asked {
  /** The conversation on the screen when it was asked. */
  of: string | undefined;
  current?: Current;
  /** Why there is no answer. */
  error?: unknown;
}

type OnAnswer = (asked: Question, answer: Answer) => void;

/** They outlast the screen: a question goes on being answered, and what was typed is there again. */
const asked = createStore<Asked | undefined>(undefined);
const drafts = createStore<Readonly<Record<string, string>>>({});
let running: AbortController | undefined;
/** The conversation on the screen. */
let shown: { id: string | undefined; onAnswer: OnAnswer } | undefined;

askBeforeReload(() => Object.values(drafts.get()).some((words) => words.trim() !== ''));

const write = (of: string | undefined, words: string) => drafts.set({ ...drafts.get(), [of ?? '']: words });

/** What is typed for a conversation, or for a new one. */
export function useDraft(of: string | undefined) {
  const words = useStore(drafts)[of ?? ''] ?? '';
  return [words, (next: string) => write(of, next)] as const;
}

/** What was not answered can be asked again. */
function putBack(of: string | undefined, question: string): void {
  if (!drafts.get()[of ?? '']?.trim()) write(of, question);
}

/** One question at a time. What belongs to another conversation than the one on the screen is not shown. */
export function useAsking(id: string | undefined, onAnswer: OnAnswer) {
  const all = useStore(asked);
  const latest = useRef({ id, onAnswer });
  latest.current = { id, onAnswer };
  useEffect(() => {
    const screen = latest.current;
    shown = screen;
    return () => {
      if (shown === screen) shown = undefined;
    };
  });
  const mine = all?.of === id ? all : undefined;
  return {
    current: mine?.current,
    error: mine?.error,
    begin: (question: Question) => void begin(id, question),
    stop() {
      running?.abort();
      asked.set(undefined);
      if (mine?.current) putBack(id, mine.current.question);
    },
  };
}

async function begin(of: string | undefined, question: Question): Promise<void> {
  running?.abort();
  const control = new AbortController();
  running = control;
  let text = '';
  const show = () => asked.set({ of, current: { question: question.question, text } });
  const more = (words: string) => {
    text += words;
    show();
  };
  show();
  write(of, '');
  try {
    const answer = await ask(question, more, control.signal);
    asked.set(undefined);
    showAnswered(question, answer);
    const { conversation_id: id } = answer;
    if (shown && shown.id === of) {
      // What was typed meanwhile is the next question of the conversation that has begun.
      if (id && id !== of) {
        write(id, drafts.get()[of ?? ''] ?? '');
        write(of, '');
      }
      return shown.onAnswer(question, answer);
    }
    toast({
      title: texts.answered,
      detail: question.question,
      ...(id ? { action: { label: texts.read, run: () => navigate(`/ask/${id}`) } } : {}),
    });
  } catch (error) {
    if (control.signal.aborted) return;
    asked.set({ of, error });
    putBack(of, question.question);
  }
}
