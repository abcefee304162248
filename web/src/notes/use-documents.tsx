import { createContext, type ReactNode, use, useState } from 'react';
import { pageOwner } from '../api/person.ts';
import { createStore, useStore } from '../lib/store.ts';
import type { Documents, UnsavedText } from './documents.ts';
import { documentsOfPage } from './page.ts';

type Get = () => Documents | undefined;
const Context = createContext<Get>(() => undefined);

/** The documents of the person whose page it is, from when they are signed in. They outlive every screen. */
export function DocumentsOfPage({ children }: { children: ReactNode }) {
  const [get] = useState(() => {
    let documents: Documents | undefined;
    return () => {
      const person = pageOwner();
      documents ??= person === undefined ? undefined : documentsOfPage(person);
      return documents;
    };
  });
  return <Context value={get}>{children}</Context>;
}

export function useDocuments(): Documents {
  const documents = use(Context)();
  if (!documents) throw new Error('Notes are shown to people who are signed in.');
  return documents;
}

const nothing = createStore<readonly UnsavedText[]>([]);

/** What the server does not have, also while no person is signed in. */
export const useUnsavedTexts = () => useStore(use(Context)()?.unsaved ?? nothing);
