import { useEffect, useRef, useState } from 'react';
import { type Answer, ask, type Question } from '../../resources/conversations.ts';

/** A question that is being answered, with the answer so far. */
export interface Current {
  question: string;
  text: string;
}

interface Asked {
  /** The conversation on the screen when it was asked. */
  of: string | undefined;
  current?: Current | undefined;
  failure?: { question: string; error: unknown };
}

/** One question at a time. What belongs to another conversation than the one on the screen is not shown. */
export function useAsking(id: string | undefined, onAnswer: (asked: Question, answer: Answer) => void) {
  const [asked, setAsked] = useState<Asked>();
  const running = useRef<AbortController>(undefined);
  const latest = useRef({ id, onAnswer });
  latest.current = { id, onAnswer };
  useEffect(() => () => running.current?.abort(), []);

  async function begin(question: Question): Promise<void> {
    running.current?.abort();
    const control = new AbortController();
    running.current = control;
    const { question: words } = question;
    let text = '';
    const show = () => setAsked({ of: id, current: { question: words, text } });
    show();
    try {
      const answer = await ask(
        question,
        (more) => {
          text += more;
          show();
        },
        control.signal,
      );
      setAsked(undefined);
      if (latest.current.id === id) latest.current.onAnswer(question, answer);
    } catch (error) {
      if (control.signal.aborted) return;
      setAsked({ of: id, failure: { question: words, error } });
    }
  }
  const shown = asked?.of === id ? asked : undefined;
  return {
    current: shown?.current,
    failure: shown?.failure,
    begin: (question: Question) => void begin(question),
    stop() {
      running.current?.abort();
      setAsked(undefined);
    },
  };
}
